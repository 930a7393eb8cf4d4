import { lastAtMost } from '../../base/bisect.ts';
import { memoize } from '../../base/memoize.ts';
import { formatV8Function, parseV8Function, parseV8Name } from './v8-name.ts';
import { OwnersAt, type PositionOwner, type V8Position } from './v8-position.ts';

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
export type JitdumpCode = {
  readonly length: number;
  readonly name: (row: number) => string;
  /** Null where V8 wrote none for this code. */
  readonly positions: (row: number) => CodePositions | null;
};

const MOST_COLUMNS = 2 ** 24;

type Owner = PositionOwner & {
  /** Offset at which it begins: V8 means the parenthesis of its parameters. */
  readonly start: number;
};

/** The positions of a code object, by whose they are. */
type Resolved = {
  readonly positions: CodePositions;
  /** Functions by entry; null where none is known. */
  readonly owners: readonly (Owner | null)[];
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
export class JitdumpPositions {
  readonly #code: JitdumpCode;
  readonly #ownersAt = new OwnersAt<Owner>();
  readonly #ownerOf = new Map<string, Owner>();
  readonly #resolved = memoize((row: number) => this.#resolve(row));

  constructor(code: JitdumpCode) {
    this.#code = code;
    const baseline: [row: number, owner: Owner][] = [];
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
    const { positions, owners } = resolved;
    const entry = lastAtMost(positions.offset, offset);
    const owner = entry < 0 ? null : owners[entry];
    if (owner === null) return null;
    const { function: name, file } = owner;
    const parsed = parseV8Function(this.#code.name(row));
    const isOwn = parsed === null || parsed.function === name;
    return {
      file,
      line: positions.line[entry],
      column: positions.column[entry],
      inlined: isOwn ? null : formatV8Function(name, parsed.tier),
    };
  }

  #internOwner(name: string, code: string): Owner {
    const known = this.#ownerOf.get(name);
    if (known !== undefined) return known;
    const { file = '', line = 0, column = 0 } = parseV8Name(code) ?? {};
    const start = positionOf(line, column);
    const owner = { function: name, file, start };
    this.#ownerOf.set(name, owner);
    // Without a file V8 has no source of it either.
    if (file !== '') this.#ownersAt.add(start, owner);
    return owner;
  }

  #addPositions(row: number, owner: Owner): void {
    const positions = owner.file === '' ? null : this.#code.positions(row);
    if (positions === null) return;
    const { line, column } = positions;
    for (let i = 0; i < line.length; i++) this.#ownersAt.add(positionOf(line[i], column[i]), owner);
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
    const candidates = Array.from(keys, (key) => this.#ownersAt.at(key)?.filter(mayInline) ?? []);
    // Functions that have a position here which is of no other.
    const evident = new Set([self]);
    for (const owners of candidates) if (owners.length === 1) evident.add(owners[0]);
    const owners = candidates.map((several) => {
      const likely = several.length === 1 ? several : several.filter((one) => evident.has(one));
      return likely.length === 1 ? likely[0] : null;
    });
    return { positions, owners };
  }

  /** Which functions the code of `self` may have positions of; see above. */
  #inlinable(
    self: Owner,
    isMaglev: boolean,
    inTable: ReadonlySet<number>,
  ): (owner: Owner) => boolean {
    if (!isMaglev) return () => true;
    return (owner) => owner === self || (owner.file === self.file && inTable.has(owner.start));
  }
}

const OPTIMIZED: ReadonlySet<string> = new Set(['Maglev', 'TurboFan']);

/** A line and a column as one number. */
function positionOf(line: number, column: number): number {
  return line * MOST_COLUMNS + Math.min(column, MOST_COLUMNS - 1);
}
