/** The HTTP side: GET /products and POST /quote. Bad input is answered with 422 and a reason. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pathToFileURL } from 'node:url';
import { Catalog } from './catalog.ts';
import { isCoupon } from './discount.ts';
import { formatCents } from './money.ts';
import { priceOrder, type Order } from './order.ts';
import { isCountry } from './vat.ts';

const MOST_BYTES = 64 * 1024;

function send(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
	response.end(`${JSON.stringify(body)}\n`);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of request) {
		size += (chunk as Buffer).length;
		if (size > MOST_BYTES) throw new RangeError('The order is too large.');
		chunks.push(chunk as Buffer);
	}
	return Buffer.concat(chunks).toString('utf8');
}

/** Reads an order from JSON. Throws a RangeError that says what is wrong with it. */
export function parseOrder(text: string): Order {
	let value: Partial<Order>;
	try {
		value = JSON.parse(text) as Partial<Order>;
	} catch {
		throw new RangeError('The order is no valid JSON.');
	}
	if (typeof value?.country !== 'string' || !isCountry(value.country))
		throw new RangeError('The country is missing, or we do not deliver there.');
	if (!Array.isArray(value.items) || value.items.length === 0)
		throw new RangeError('The order has no items.');
	if (value.coupon !== undefined && !isCoupon(String(value.coupon)))
		throw new RangeError(`The coupon "${value.coupon}" is not known.`);
	return value as Order;
}

export function createHandler(catalog: Catalog) {
	return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		try {
			if (request.method === 'GET' && request.url === '/products')
				send(response, 200, catalog.all());
			else if (request.method === 'POST' && request.url === '/quote') {
				const quote = priceOrder(parseOrder(await bodyOf(request)), catalog);
				send(response, 200, { ...quote, total: formatCents(quote.totalCents) });
			} else send(response, 404, { error: 'There is nothing here.' });
		} catch (error) {
			if (error instanceof RangeError) send(response, 422, { error: error.message });
			else send(response, 500, { error: 'Something went wrong on our side.' });
		}
	};
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
	const catalog = Catalog.fromFile(new URL('../data/catalog.json', import.meta.url));
	createServer(createHandler(catalog)).listen(8087, 'localhost');
}
