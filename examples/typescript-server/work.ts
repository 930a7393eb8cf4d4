export interface Item {
  readonly id: number;
  readonly name: string;
  readonly tags: readonly string[];
}

// An enum and the types above are gone from what V8 runs, so its lines are not these.
export const KINDS = ['plain', 'fancy'] as const;
export type Kind = (typeof KINDS)[number];

export function makeItems(count: number): Item[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    name: `item ${id}`,
    tags: ['red', 'green', 'blue'],
  }));
}

/** A page of items. */
export function renderItems(items: readonly Item[], kind: Kind): string {
  let page = '';
  for (const item of items) page += renderItem(item, kind);
  return page;
}

function renderItem({ id, name, tags }: Item, kind: Kind): string {
  const shown = tags.map((tag: string): string => `${tag.toUpperCase()}-${kind}`);
  return `${id}: ${name} (${shown.join(', ')})\n`;
}

/** Adds up weights, for as long as it takes to be seen. */
export class Scorer {
  readonly #weights: readonly number[];

  constructor(size: number) {
    this.#weights = Array.from({ length: size }, (_, index) => index * 1.5);
  }

  score(items: readonly Item[], rounds: number): number {
    let total = 0;
    for (let round = 0; round < rounds; round++) {
      for (const item of items) total += this.#scoreOne(item, round);
    }
    return total;
  }

  #scoreOne(item: Item, round: number): number {
    let sum = 0;
    for (const weight of this.#weights) sum += weight * ((item.id ^ round) & 15);
    return sum % 1000;
  }
}
