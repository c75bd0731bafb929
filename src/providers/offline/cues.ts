/** Owns the words, in the languages that users write in, that mark a sentence as more than an errand. */

/** Alternatives that stand alone as words, whatever letters the script has. */
function words(...alternatives: string[]): string {
	return `(?<![\\p{L}\\p{N}])(?:${alternatives.join('|')})(?![\\p{L}\\p{N}])`;
}

/** What holds beyond the work at hand: rules without end, bounds, reserved rights. */
export const STANDING = new RegExp(
	[
		words(
			'always|never|nobody|no one|no-one|everywhere|every|must|mandatory|forbidden|allowed',
			'at (?:most|least)|no more than|max(?:imum)?|min(?:imum)?|tops|limit(?:ed)?|cap(?:s|ped)?|until|tonight|tomorrow',
			"from (?:now|here) on|in mind|in force|off limits|out of scope|nothing (?:newer|older|else|but)|can(?:no|['’])t|owns?|no longer|anymore",
		),
		words(
			'nunca|sempre|siempre|jamás|jamais|toujours|niemals|immer|mai',
			'apenas|somente|só|sólo|solamente|nur|seulement',
			'deve[mn]?|debe[ns]?|tem que|têm que|tiene[ns]? que|muss|müssen|darf|dürfen|doit|doivent',
			'no máximo|no mínimo|como (?:máximo|mínimo)|al menos|höchstens|mindestens|au (?:plus|moins)',
			'proibid[oa]s?|prohibid[oa]s?|obrigatóri[oa]s?|obligatori[oa]s?|verboten|interdit|antes d[eo]|hasta|até',
		),
		'必ず|絶対|禁止|今後|これから|以内|以上|以下|必须|务必|绝对|不能|不得|不超过|至少|最多|以后',
	].join('|'),
	'iu',
);

/** Says why: a decision with its reason is worth more than one without. */
export const REASON = new RegExp(
	[
		words(
			'because|since|so that|otherwise|therefore|due to|as .{3,40} would|why',
			'porque|pois|para que|já que|ya que|por eso|weil|damit|denn|parce que|car|afin',
		),
		'ため|ので|から、|因为|因此|所以',
	].join('|'),
	'iu',
);

/** Values that must survive word for word: colours, versions, sizes, URLs, code, constants, quotes. */
export const SPECIFIC =
	/#[0-9a-f]{3,8}\b|\bv?\d+\.\d+|\b\d{2,}\b|\b\d+ ?(?:%|[a-zA-Z]{1,3}\b)|https?:\/\/|`[^`]+`|\b[\w-]+\/[\w./-]+|\b[A-Z]{2,}[_-][A-Z\d_]+\b|\b[a-z]+(?:_[a-z]+)+\b|\b[0-9a-f]{6}\b|[«“"][^"”»]{3,60}["”»]/;

/** Values that a user names to have them used: colours, amounts, sizes, versions. */
export const VALUE =
	/#[0-9a-f]{3,8}\b|\b(?=[0-9a-f]*\d)[0-9a-f]{6}\b|\b\d+ ?(?:%|[a-z]+)|\bv?\d+\.\d+|\b\d{2,}\b/i;

/** Takes back or replaces what held before. */
export const REVISION = new RegExp(
	[
		words(
			"forget|scrap|never ?mind|no longer|not any ?more|anymore|instead|rather than|(?:is|are) gone|after all|changed? (?:my|his|her|their|our) minds?|(?:has|have) changed|changed to|lifted|withdrawn|drop(?:ped)? (?:the|that)|does(?:n['’]t| not) (?:apply|hold|matter)|from (?:now|here) on|takes? back",
			'mudou|mudaram|já não|não (?:vale|precisa) mais|em vez de|esquec[ea]|cambió|ya no|en (?:vez|lugar) de|olvida|vergiss|nicht mehr|statt|stattdessen|ne .{2,20} plus|au lieu de|oubli(?:e|ez)',
		),
		'やめ|ではなく|もう必要|変更|不再|改成|改为|而不是|取消',
		'^(?:and |so |also |then |now )*you (?:can|may)(?![\\p{L}])',
	].join('|'),
	'iu',
);

/** Agrees with what was proposed. */
export const ASSENT = new RegExp(
	`^(?:${words(
		'yes|yeah|yep|yup|ok(?:ay)?|sure|fine|good|great|right|agreed|sounds (?:good|fine|plausible)|go(?: ahead| for it)?|do (?:it|that|so)|please do|perfect|makes sense',
		"sim|pode ser|ótimo|perfeito|claro|sí|si|dale|vale|bien|perfecto|de acuerdo|ja|gut|genau|oui|d['’]accord",
	)}|はい|いいです|お願いします|好|可以|行)`,
	'iu',
);
