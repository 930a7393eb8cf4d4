import { lastAtMost } from '../../base/bisect.ts';
import { NONE } from '../../base/brand.ts';
import { memoize } from '../../base/memoize.ts';
import { formatV8Function, parseV8Function, parseV8Name } from './v8-name.ts';

/** Positions of one code object as columns: entry i is for the code from offset[i] to offset[i + 1]. */
export type CodePositions = {
  /** Bytes from the start of the code, ascending. */
  readonly offset: Float64Array;
  /** Line from 1. */
  readonly line: Int32Array;
  /** Column from 1; 0 where it is not known. */
  readonly column: Int32Array;
};

/** The code objects that V8 has written to one jitdump, as rows. */
export type V8Code = {
  readonly length: number;
  readonly name: (row: number) => string;
  /** Null where V8 wrote none for this code. */
  readonly positions: (row: number) => CodePositions | null;
};

/** The source of the code at an address. */
export type V8Position = {
  /** Path or URL as V8 was given it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Name of the inlined function, as V8 would name its code; null where it is the code's own. */
  readonly inlined: string | null;
};

/** Positions of all functions that are remembered, some 40 bytes each. */
const MOST_POSITIONS = 4_000_000;
/** A position of more functions is of none: such is the start of a module, which all have. */
const MOST_OWNERS = 64;
const MOST_COLUMNS = 2 ** 24;

/** A function that V8 ran. */
type Owner = {
  readonly function: string;
  readonly file: string;
  /** Offset at which it begins: V8 means the parenthesis of its parameters. */
  readonly start: number;
};

/** The positions of a code object, by whose they are. */
type Resolved = {
  readonly positions: CodePositions;
  /** Row in the list of functions, −1 where it is not known. */
  readonly owner: Int32Array;
};

/**
 * Which function each position in V8's optimized code is of, also where that function was inlined.
 *
 * In a jitdump the code of an optimized function has the position that each of its instructions was
 * made for: a line and a column, in code that was inlined those of the inlined function. The file that
 * stands there is not that position's (V8 of Node 18 to 24 writes the file of the outer function, Node
 * 26 that of another entry), and of no position is the function written.
 *
 *     JS:*outer /app/a.js:4:15     +0x1b 4:50   +0x43 3:67   +0x5b 1:35   +0x6b 1:74
 *     JS:^leaf  /app/a.js:1:18           1:35         1:48         1:74
 *     JS:^middle /app/a.js:3:16          3:33         3:67                    ──▶ outer middle leaf leaf
 *
 * The code that Sparkplug makes (`^`) inlines nothing, and V8 makes it of a function before it
 * optimizes or inlines it. Its positions are all that its function has, and optimized code takes its
 * own from the same table of the bytecode. So a position is of the function whose baseline code has
 * it, line and column; if several have it, of the one that has others in the same code. Otherwise
 * nothing is known.
 *
 * Two tables are not used: addresses in those of baseline code are offsets in the bytecode, and
 * Maglev's code has the offset of an inlined function's position in the text of the outer function's
 * script. That is right only where both are of one script: from other files nothing is taken there,
 * and of the same file functions whose start stands in the table, as Maglev notes it.
 */
export class V8Positions {
  readonly #code: V8Code;
  readonly #owners: Owner[] = [];
  /** Position -> rows of `#owners`. */
  readonly #ownersAt = new Map<number, number | number[]>();
  readonly #ownerOf = new Map<string, number>();
  readonly #resolved = memoize((row: number) => this.#resolve(row));

  constructor(code: V8Code) {
    this.#code = code;
    const baseline: [row: number, owner: number][] = [];
    for (let row = 0; row < code.length; row++) {
      const parsed = parseV8Function(code.name(row));
      if (parsed === null) continue;
      const owner = this.#internOwner(parsed.function, code.name(row));
      if (parsed.tier === 'baseline') baseline.push([row, owner]);
    }
    for (const [row, owner] of baseline) this.#addPositions(row, owner);
  }

  /**
   * The position of the code `offset` bytes behind the start of `row`; null where it is not known.
   * `row` is code of JavaScript.
   */
  find(row: number, offset: number): V8Position | null {
    const resolved = this.#resolved(row);
    if (resolved === null) return null;
    const { positions, owner } = resolved;
    const entry = lastAtMost(positions.offset, offset);
    if (entry < 0 || owner[entry] === NONE) return null;
    const { function: name, file } = this.#owners[owner[entry]];
    const parsed = parseV8Function(this.#code.name(row));
    const isOwn = parsed === null || parsed.function === name;
    return {
      file,
      line: positions.line[entry],
      column: positions.column[entry],
      inlined: isOwn ? null : formatV8Function(name, parsed.tier),
    };
  }

  #internOwner(name: string, code: string): number {
    const known = this.#ownerOf.get(name);
    if (known !== undefined) return known;
    const { file = '', line = 0, column = 0 } = parseV8Name(code) ?? {};
    const start = positionOf(line, column);
    const owner = this.#owners.push({ function: name, file, start }) - 1;
    this.#ownerOf.set(name, owner);
    // Without a file V8 has no source of it either.
    if (file !== '') this.#addPosition(start, owner);
    return owner;
  }

  #addPositions(row: number, owner: number): void {
    const positions = this.#owners[owner].file === '' ? null : this.#code.positions(row);
    if (positions === null) return;
    const { line, column } = positions;
    for (let i = 0; i < line.length; i++) this.#addPosition(positionOf(line[i], column[i]), owner);
  }

  #addPosition(position: number, owner: number): void {
    const known = this.#ownersAt.get(position);
    if (known === undefined) {
      if (this.#ownersAt.size < MOST_POSITIONS) this.#ownersAt.set(position, owner);
    } else if (typeof known === 'number') {
      if (known !== owner) this.#ownersAt.set(position, [known, owner]);
    } else if (known.length < MOST_OWNERS && !known.includes(owner)) {
      known.push(owner);
    }
  }

  #resolve(row: number): Resolved | null {
    const parsed = parseV8Function(this.#code.name(row));
    if (parsed === null || !OPTIMIZED.has(parsed.tier)) return null;
    const positions = this.#code.positions(row);
    const self = this.#ownerOf.get(parsed.function);
    if (positions === null || self === undefined) return null;
    const keys = Float64Array.from(positions.line, (line, i) =>
      positionOf(line, positions.column[i]),
    );
    const mayInline = this.#inlinable(self, parsed.tier === 'Maglev', new Set(keys));
    const candidates = Array.from(keys, (key) => this.#candidates(key, mayInline));
    // Functions that have a position here which is of no other.
    const evident = new Set([self]);
    for (const owners of candidates) if (owners.length === 1) evident.add(owners[0]);
    const owner = Int32Array.from(candidates, (owners) => {
      const likely = owners.length === 1 ? owners : owners.filter((one) => evident.has(one));
      return likely.length === 1 ? likely[0] : NONE;
    });
    return { positions, owner };
  }

  #candidates(position: number, mayInline: (owner: number) => boolean): readonly number[] {
    const owners = this.#ownersAt.get(position) ?? [];
    if (typeof owners === 'number') return mayInline(owners) ? [owners] : [];
    return owners.length < MOST_OWNERS ? owners.filter(mayInline) : [];
  }

  /** Which functions the code of `self` may have positions of; see above. */
  #inlinable(
    self: number,
    isMaglev: boolean,
    inTable: ReadonlySet<number>,
  ): (owner: number) => boolean {
    if (!isMaglev) return () => true;
    const { file } = this.#owners[self];
    return (owner) => {
      const other = this.#owners[owner];
      return owner === self || (other.file === file && inTable.has(other.start));
    };
  }
}

const OPTIMIZED: ReadonlySet<string> = new Set(['Maglev', 'TurboFan']);

/** A line and a column as one number. */
function positionOf(line: number, column: number): number {
  return line * MOST_COLUMNS + Math.min(column, MOST_COLUMNS - 1);
}
