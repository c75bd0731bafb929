// Held out, written after the others were tuned on: firmware in C, a formal person, German here and there.
import { must, named, nice, over } from '../script.mjs';

export const name = 'firmware (de)';
export const isHeldOut = true;

export function write(s) {
	s.user(
		`Good morning. The sensor node drains its battery in nine days and the contract promises ninety. Kindly find the leak; I would like a measured explanation rather than a guess. The bootloader partition is certified, therefore its sources stay exactly as they are. All our code follows MISRA, so no dynamic memory.`,
		must('request', 'battery', 'ninety'),
		must('constraint', 'bootloader'),
		must('constraint', 'MISRA'),
	);
	s.look('fw/src/main.c', 'fw/src/power.c', 'fw/src/radio.c');
	s.run(
		'python3 tools/ppk_report.py traces/idle.ppk',
		'sleep current: 2.31 mA (expected 0.004 mA)\nradio on-time: 31 %',
	);
	s.says(
		`The trace shows 2.31 mA during sleep where the data sheet promises 4 µA. The radio accounts for most of it: it is on for 31 % of the time, which nobody intended.`,
		must('decision', '31 %', 'radio'),
	);
	s.small(3);
	s.user(
		'Please continue with the radio. Bear in mind that the gateways listen in the first 200 ms of each minute only.',
		must('constraint', '200 ms'),
	);
	s.look('fw/src/radio.c', 'fw/src/mac.c', 'fw/src/timer.c');
	s.says(
		`mac.c leaves the receiver open after an acknowledgement times out: the abort path returns before radio_off(). A retry then opens it again, so it practically never sleeps in areas with poor reception.`,
		must('decision', 'abort path', 'radio_off'),
	);
	s.user('Understood, kindly repair it.');
	s.edit('fw/src/mac.c', must('file', 'fw/src/mac.c'));
	s.fails(
		'make -C fw test',
		`mac_test.c:212: FAIL: test_ack_timeout_turns_radio_off. Expected 0 Was 1\n-----------------------\n48 Tests 1 Failures 0 Ignored\nFAIL\nmake: *** [Makefile:61: test] Error 1`,
		named('ack', must('error', 'test_ack_timeout')),
	);
	s.edit('fw/src/mac.c');
	s.run('make -C fw test', '48 Tests 0 Failures 0 Ignored\nOK', over('ack'));
	s.says(
		`Repaired. The receiver is switched off on all three ways out of the function; a single exit made that easy to see.`,
		nice('decision', 'single exit'),
	);
	s.small(4);
	s.user(
		`Mein Kollege Herr Brandt übernimmt die Messung. Er braucht für jede Variante:\n\na) Ruhestrom in µA\nb) Anzahl der Wiederholungen pro Stunde\nc) Temperatur im Gehäuse\nd) Firmwarestand als Git-Hash\n\nDie Messprotokolle bitte auf Deutsch, Dezimalkomma statt Punkt.`,
		must('item', 'Ruhestrom'),
		must('item', 'Wiederholungen pro Stunde'),
		must('item', 'Gehäuse'),
		must('item', 'Git-Hash'),
		must('constraint', 'Dezimalkomma'),
		nice('request', 'Brandt'),
	);
	s.write('tools/messprotokoll.py');
	s.run('python3 tools/messprotokoll.py --demo', 'geschrieben: out/protokoll.csv');
	s.says(
		'tools/messprotokoll.py schreibt die vier Spalten mit Dezimalkomma. Die Temperatur kommt vom internen Fühler des Controllers; er ist nur auf zwei Grad genau.',
		nice('decision', 'zwei Grad'),
	);
	s.small(4);
	s.user(
		'The remaining sleep current, if you please. The external flash has to remain powered, it keeps the calibration.',
		must('constraint', 'flash', 'calibration'),
	);
	s.look('fw/src/power.c', 'fw/src/gpio.c', 'fw/board/pins.h');
	s.edit('fw/src/gpio.c');
	s.run(
		'python3 tools/ppk_report.py traces/idle2.ppk',
		'sleep current: 0.019 mA (expected 0.004 mA)\nradio on-time: 0.4 %',
	);
	s.says(
		`Down to 19 µA. Two floating inputs were the reason, PA4 and PB7; both have pull-downs now. The last 15 µA stem from the debug UART, whose clock I have left running until you decide whether the field units need it.`,
		must('decision', 'PA4', 'PB7'),
		named('uart', must('step', 'debug UART')),
	);
	s.user(
		'The field units do not need it. Only compile it in when DEBUG_UART is defined.',
		over('uart'),
		must('constraint', 'DEBUG_UART'),
	);
	s.edit('fw/src/uart.c');
	s.edit('fw/Makefile');
	s.run('make -C fw test', '48 Tests 0 Failures 0 Ignored\nOK');
	s.says('The UART is compiled in with DEBUG_UART only; without it the node sleeps at 4 µA.');
	s.small(4);
	s.user(
		'Our budget for the image is 96 KB of flash, we must not exceed that.',
		named('image', must('constraint', '96 KB')),
	);
	s.run('arm-none-eabi-size fw/build/node.elf', '   text    data     bss\n  88112    1204   21440');
	s.says('The image has 89,316 bytes, so there is room.');
	s.small(3);
	s.user(
		'Purchasing changed the controller to the larger variant. We may use 192 KB for the image from now on instead of 96 KB.',
		over('image'),
		must('constraint', '192 KB'),
	);
	s.edit('fw/linker.ld');
	s.says('The linker script knows the larger flash; the partition table is untouched.');
	s.small(3);
	s.user(
		'Would a longer reporting interval be worthwhile? Please estimate it, I shall decide then.',
	);
	s.look('fw/src/report.c', 'docs/power-budget.md');
	s.says(
		`At 60 s the node lasts 94 days, at 120 s about 131. The radio dominates either way. Do you wish to stay at 60 s, or shall I go to 120 s?`,
	);
	s.user('Stay at 60, the customer insists.', must('decision', '60', 'insists'));
	s.edit('docs/power-budget.md');
	s.says('The budget document records 60 s with the estimate for both.');
	s.small(4);
	s.user(
		'Now prepare the update over the air. Units in the field must be able to roll back, and a transfer has to survive a loss of power at any point.',
		must('constraint', 'roll back'),
		must('constraint', 'loss of power'),
	);
	s.look('fw/src/ota.c', 'fw/src/slots.c', 'fw/src/crc.c');
	s.edit('fw/src/ota.c');
	s.write('fw/test/ota_test.c');
	s.fails(
		'make -C fw test',
		`ota_test.c:88: FAIL: test_resume_after_power_loss. Expected 0x5A5A Was 0xFFFF\n-----------------------\n55 Tests 1 Failures 0 Ignored\nFAIL\nmake: *** [Makefile:61: test] Error 1`,
		must('error', 'test_resume_after_power_loss'),
	);
	s.says(
		`Resuming after a loss of power does not work as yet: the marker of the last page is written ahead of the page itself. I shall swap the two writes, and the slot selection wants a review by whoever certified the bootloader.`,
		must('step', 'slot selection'),
		must('step', 'swap'),
	);
	s.small(3);
	s.user('Before that, kindly look at the watchdog; it bit twice during the night.');
	s.look('fw/src/watchdog.c', 'fw/src/idle.c');
	s.notes('The idle loop feeds it only after a report, and a failed report takes 70 s.');
	s.look('fw/src/report.c', 'fw/src/timer.c');
}
