/** The products, as the shop team keeps them in data/catalog.json. */
import { readFileSync } from 'node:fs';
import { assertCents, type Cents } from './money.ts';

export type Category = 'leaf' | 'teaware' | 'gift';

export interface Product {
	sku: string;
	name: string;
	category: Category;
	priceCents: Cents;
	stock: number;
}

export class Catalog {
	readonly #products: Map<string, Product>;

	constructor(products: readonly Product[]) {
		for (const product of products) assertCents(product.priceCents, `The price of ${product.sku}`);
		this.#products = new Map(products.map((product) => [product.sku, product]));
	}

	static fromFile(path: string | URL): Catalog {
		return new Catalog(JSON.parse(readFileSync(path, 'utf8')) as Product[]);
	}

	find(sku: string): Product | undefined {
		return this.#products.get(sku);
	}

	all(): Product[] {
		return [...this.#products.values()];
	}
}
