// Held out, never tuned on: a mobile release, with Spanish and Chinese, reviews, rejected attempts.
import { must, named, nice, over } from '../script.mjs';

export const name = 'mobile release (es, zh)';
export const isHeldOut = true;

export function write(s) {
	s.user(
		`Tenemos que sacar la versión 4.8 de la app a las tiendas antes del viernes. Hay tres bloqueantes en el tablero y el build de iOS no compila. La versión mínima es iOS 15 y Android 9, eso no se toca. Los textos legales los aprueba Marta, no los cambies tú.`,
		must('request', '4.8', 'viernes'),
		must('constraint', 'iOS 15'),
		must('constraint', 'Marta'),
	);
	s.fails(
		'xcodebuild -workspace ios/App.xcworkspace -scheme App build',
		`note: Using new build system\nios/App/Push/PushService.swift:72:31: error: cannot find type 'LegacyToken' in scope\n** BUILD FAILED **`,
		named('legacy', must('error', 'LegacyToken')),
	);
	s.look('ios/App/Push/PushService.swift', 'ios/Podfile');
	s.says(
		`El build falla porque el pod de notificaciones 6.0 eliminó LegacyToken. Propongo adaptar PushService a la API nueva en lugar de fijar la versión vieja.`,
		must('decision', 'PushService', 'API nueva'),
	);
	s.user('dale');
	s.edit('ios/App/Push/PushService.swift');
	s.edit('ios/Podfile');
	s.run(
		'xcodebuild -workspace ios/App.xcworkspace -scheme App build',
		'** BUILD SUCCEEDED **',
		over('legacy'),
	);
	s.says('Compila otra vez con la API nueva.');
	s.small(3);
	s.user(
		`Ahora los bloqueantes:\n1. APP-3311 pantalla en blanco tras el login con Google\n2. APP-3320 el carrito pierde artículos al rotar el teléfono\n3. APP-3342 los precios salen sin IVA en Canarias\n4. APP-3350 la app pide permiso de ubicación dos veces`,
		must('item', 'APP-3311', 'pantalla en blanco'),
		must('item', 'APP-3320', 'carrito'),
		must('item', 'APP-3342', 'Canarias'),
		must('item', 'APP-3350', 'ubicación'),
	);
	s.look('src/auth/google.ts', 'src/screens/Login.tsx', 'src/navigation/root.tsx');
	s.edit('src/auth/google.ts');
	s.run('yarn jest src/auth', 'Tests:       31 passed, 31 total');
	s.says(
		`APP-3311 está resuelto: el token llegaba antes de que el navegador estuviera montado. Ahora se espera a onReady.`,
		nice('decision', 'onReady'),
	);
	s.user('el siguiente');
	s.look('src/cart/store.ts', 'src/screens/Cart.tsx');
	s.edit('src/cart/store.ts');
	s.says(`Guardé el carrito en el estado de la pantalla y lo restauro al rotar.`);
	s.user(
		'No, así no. El carrito es del usuario y no de la pantalla, tiene que vivir en el store persistido. Deshaz eso.',
		must('constraint', 'store persistido'),
	);
	s.edit('src/cart/store.ts');
	s.edit('src/cart/persist.ts');
	s.edit('src/screens/Cart.tsx');
	s.run('yarn jest src/cart', 'Tests:       44 passed, 44 total');
	s.says(
		'Deshecho; el carrito vive en el store persistido, con una migración de la clave vieja cart_v1.',
		nice('decision', 'cart_v1'),
	);
	s.small(4);
	s.user(
		`对了，上海的同事会接手安卓部分。给他们的说明请用中文写，放在 docs/android-zh.md。签名密钥绝对不能进仓库。`,
		must('constraint', '中文', 'docs/android-zh.md'),
		must('constraint', '签名密钥'),
	);
	s.look('android/app/build.gradle', 'android/gradle.properties');
	s.write('docs/android-zh.md', must('file', 'docs/android-zh.md'));
	s.says(`说明写好了，放在 docs/android-zh.md。签名配置改为从环境变量读取。`);
	s.user('包的大小也要控制，下载大小不能超过 45 MB。', named('size', must('constraint', '45 MB')));
	s.run('./gradlew :app:bundleRelease', 'BUILD SUCCESSFUL in 3m 12s\napp-release.aab 52.3 MB');
	s.look('android/app/proguard-rules.pro');
	s.edit('android/app/build.gradle');
	s.run('./gradlew :app:bundleRelease', 'BUILD SUCCESSFUL in 3m 40s\napp-release.aab 43.9 MB');
	s.says('打开了 R8 的资源压缩，下载大小降到 43.9 MB。', nice('decision', '43.9'));
	s.small(4);
	s.user(
		'Sigamos. Canarias: ahí no hay IVA sino IGIC, 7 %. Los precios en la ficha siempre con impuesto incluido.',
		must('constraint', 'IGIC', '7 %'),
		must('constraint', 'impuesto incluido'),
	);
	s.look('src/pricing/tax.ts', 'src/pricing/regions.ts');
	s.edit('src/pricing/tax.ts');
	s.edit('src/pricing/regions.ts');
	s.write('src/pricing/tax.test.ts');
	s.run('yarn jest src/pricing', 'Tests:       27 passed, 27 total');
	s.says(
		`IGIC del 7 % para los códigos postales 35 y 38. Elegí el código postal y no la IP, porque con VPN la IP engaña. Ceuta y Melilla (IPSI) siguen pendientes.`,
		must('decision', 'código postal'),
		must('step', 'Melilla'),
	);
	s.small(3);
	s.user(
		'I looped in Priya from QA, so English from here please. She tests on a Pixel 4a and an iPhone SE, those two have to be smooth.',
		must('constraint', 'English'),
		must('constraint', 'Pixel 4a'),
	);
	s.says('English it is.');
	s.user(
		`Priya's findings from the first round, the ids are hers:\n\nQ1 - keyboard covers the coupon field\nQ2 - back gesture leaves checkout without asking\nQ3 - dark mode: receipt is black on black\nQ4 - VoiceOver reads the price twice`,
		must('item', 'Q1', 'coupon'),
		must('item', 'Q2', 'back gesture'),
		must('item', 'Q3', 'receipt'),
		must('item', 'Q4', 'VoiceOver'),
	);
	s.look('src/screens/Checkout.tsx', 'src/screens/Receipt.tsx');
	s.edit('src/screens/Checkout.tsx');
	s.edit('src/screens/Receipt.tsx');
	s.says(
		`Q1 and Q3 are fixed. For Q2 I need to know whether leaving should clear the coupon or keep it. Q4 I couldn't reproduce on the simulator, it needs a device.`,
		must('step', 'Q2'),
		must('step', 'Q4'),
	);
	s.small(3);
	s.user('keep the coupon', must('decision', 'keep', 'coupon'));
	s.edit('src/screens/Checkout.tsx');
	s.says('Leaving checkout asks first and keeps the coupon.');
	s.small(3);
	s.user(
		'Store team says we get up to 60 MB for the download after all, so the 45 MB limit no longer applies.',
		over('size'),
		must('constraint', '60 MB'),
	);
	s.says('Good to know; we are at 43.9 MB anyway, so nothing changes.');
	s.small(3);
	s.user(
		'Release notes please: max 500 characters, no emoji, and mention the cart fix first.',
		must('constraint', '500 characters'),
		must('constraint', 'cart fix first'),
	);
	s.write('fastlane/metadata/en-US/changelog.txt');
	s.says('Written, 312 characters.');
	s.user('upload to testflight');
	s.fails(
		'bundle exec fastlane ios beta',
		`[09:12:44]: Login to App Store Connect\n[09:13:02]: Error uploading ipa file: \n ITMS-90683: Missing purpose string in Info.plist - NSLocationWhenInUseUsageDescription\n[!] Error uploading to TestFlight`,
		must('error', 'ITMS-90683'),
	);
	s.says(
		`Apple rejects the upload: the purpose string for location is missing in Info.plist. It's a legal text, so Marta has to sign it off first. I'll wait for her wording.`,
		must('step', 'Marta', 'wording'),
	);
	s.small(3);
	s.user('she is on it. meanwhile look at APP-3350');
	s.look('src/location/permission.ts', 'src/screens/Stores.tsx', 'ios/App/Location.swift');
	s.notes('Both the store finder and the delivery form ask for it on mount.');
	s.look('src/screens/Delivery.tsx', 'src/location/provider.tsx');
	s.look('src/location/permission.test.ts');
}
