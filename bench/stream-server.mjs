// A loopback server in a process of its own that streams one answer as fast as it is read: the URL goes to
// the parent, and it ends with its parent. Argument: the number of chunks.
import { once } from 'node:events';
import { createServer } from 'node:http';

const chunks = Number(process.argv[2]);
const chunkOf = (fields) =>
	`data: ${JSON.stringify({
		...{ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 0, model: 'bench' },
		...fields,
	})}\n\n`;
const word = (index) =>
	chunkOf({
		choices: [{ index: 0, delta: { content: `word${index} ` }, finish_reason: null }],
	});
const last = chunkOf({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const usage = chunkOf({ choices: [], usage: { prompt_tokens: 10, completion_tokens: chunks } });
const parts = [...Array.from({ length: chunks - 2 }, (_, index) => word(index)), last, usage];

const server = createServer(async (request, response) => {
	request.resume();
	await once(request, 'end');
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	for (const part of parts) if (!response.write(part)) await once(response, 'drain');
	response.end('data: [DONE]\n\n');
});
server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}/v1`));
process.once('disconnect', () => process.exit());
