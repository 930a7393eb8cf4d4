/** The source of the code at an address. */
export type V8Position = {
  /** Path or URL as V8 was given it; empty of what was evaluated, whose lines are those of its text. */
  readonly file: string;
  /** Line from 1; 0 where it is not known, in an inlined function. */
  readonly line: number;
  /** Column from 1; 0 where it is not known. */
  readonly column: number;
  /** Name of the inlined function, as V8 would name its code; null where it is the code's own. */
  readonly inlined: string | null;
};

/** A function that V8 ran, in whose code positions are. */
export type PositionOwner = {
  /** `V8Function.function`. */
  readonly function: string;
  readonly file: string;
};

/** Positions of all functions that are remembered, some 40 bytes each. */
export const MOST_POSITIONS = 4_000_000;
/** A position of more functions is of none: such is the start of a module, which all have. */
const MOST_OWNERS = 64;

/** Position -> functions whose code has it. */
export class OwnersAt<Owner extends PositionOwner> {
  /** An array only where there are several. */
  readonly #at = new Map<number, Owner | Owner[]>();

  add(position: number, owner: Owner): void {
    const known = this.#at.get(position);
    if (known === undefined) {
      if (this.#at.size < MOST_POSITIONS) this.#at.set(position, owner);
    } else if (!Array.isArray(known)) {
      if (known !== owner) this.#at.set(position, [known, owner]);
    } else if (known.length < MOST_OWNERS && !known.includes(owner)) {
      known.push(owner);
    }
  }

  /** Null where so many have it that it tells nothing. */
  at(position: number): readonly Owner[] | null {
    const owners = this.#at.get(position) ?? [];
    if (!Array.isArray(owners)) return [owners];
    return owners.length < MOST_OWNERS ? owners : null;
  }
}

/** A set of positions that are looked for in much code, most of which has none of them. */
export class PositionSet {
  readonly #all = new Set<number>();
  /** A flag for the lower bits of each position. */
  readonly #isAmong = new Uint8Array(1 << 16);

  get size(): number {
    return this.#all.size;
  }

  add(position: number): void {
    this.#all.add(position);
    this.#isAmong[position & 0xffff] = 1;
  }

  has(position: number): boolean {
    return this.#isAmong[position & 0xffff] === 1 && this.#all.has(position);
  }
}
