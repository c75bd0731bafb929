// Kinds of text that tokenizers meet, ordinary ones and those that make them slow. Always the same.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../scripts/lib/paths.mjs';

const CHARACTERS = 6_000;

/** Texts by name, some thousand characters each: exact tokenizers take minutes for much longer runs. */
export function tokenTexts() {
	const next = numbers();
	const random = (first, last) => String.fromCodePoint(first + (next() % (last - first + 1)));
	const many = (make, length = CHARACTERS) => {
		let text = '';
		while (text.length < length) text += make();
		return text.slice(0, length).toWellFormed();
	};
	const read = (...parts) => readFileSync(path.join(root, ...parts), 'utf8');
	return {
		code: read('src', 'session', 'session-tree.ts'),
		prose: read('ARCHITECTURE.md'),
		JSON: read('package.json'),
		base64: Buffer.from(many(() => random(1, 0xd7ff))).toString('base64'),
		hex: many(() => (next() % 16).toString(16)),
		digits: many(() => String(next() % 10)),
		'Chinese, punctuated': many(() => many(() => random(0x4e00, 0x62ff), 5 + (next() % 20)) + '，'),
		'Chinese without a break': '研究如何让机器理解人类语言并且帮助我们完成工作'.repeat(260),
		'rare Chinese without a break': many(() => random(0x4e00, 0x9fa0)),
		'Japanese without a break': 'このプログラムはファイルを読み込んで結果を表示します'.repeat(220),
		'Thai without a break': 'โปรแกรมนี้อ่านไฟล์และแสดงผลลัพธ์ให้ผู้ใช้ดู'.repeat(140),
		emoji: many(() => random(0x1f300, 0x1f64f)),
		'one letter': 'a'.repeat(CHARACTERS),
		'random letters': many(() => random(97, 122)),
		spaces: ' '.repeat(CHARACTERS),
		'box drawing, a line': '─'.repeat(CHARACTERS),
		'box drawing, mixed': many(() => random(0x2500, 0x257f)),
		'progress bar': '█'.repeat(CHARACTERS),
		'special tokens': '<|endoftext|><|im_start|><|fim_prefix|>'.repeat(150),
	};
}

/** The same pseudo-random numbers every time. */
function numbers() {
	let seed = 1;
	return () => {
		seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
		return seed >> 8;
	};
}
