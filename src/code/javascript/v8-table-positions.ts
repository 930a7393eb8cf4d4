import { firstNotBelow, lastAtMost } from '../../base/bisect.ts';
import { NONE } from '../../base/brand.ts';
import { getOrMake } from '../../base/group-by.ts';
import type { MakerPlace, ScriptEntries } from '../jit/position-log.ts';
import { mendPeeledLoops } from './peeled-loops.ts';
import {
  formatV8Function,
  type Maker,
  nameEvaluated,
  parseV8Function,
  parseV8Name,
  type V8Name,
} from './v8-name.ts';
import {
  MOST_POSITIONS,
  OwnersAt,
  type PositionOwner,
  PositionSet,
  type V8Position,
} from './v8-position.ts';

/** Code objects with positions, as rows; those of bytecode among them. */
export type V8TableCode = {
  readonly length: number;
  isolate(row: number): number;
  /** Number within the isolate. */
  script(row: number): number;
  isBytecode(row: number): boolean;
  knowsInlining(row: number): boolean;
  name(row: number): string;
  entries(row: number): ScriptEntries;
  /** Whether its entries have one of these positions; absent: they are looked through. */
  hasAny?(row: number, wanted: PositionSet): boolean;
  /** The place at which the program asked for a script without a file; absent, null: not known. */
  makerOf?(isolate: number, script: number): MakerPlace | null;
  /** Ascending; null where they are not known. */
  lineEnds(isolate: number, script: number): Float64Array | null;
};

/** A function that V8 compiled to bytecode. */
type Owner = PositionOwner & { readonly isolate: number; readonly script: number };

/** The positions of a code object, by whose they are. */
type Resolved = {
  readonly self: Owner;
  readonly name: V8Name;
  /** Null: they are read again for each question. */
  readonly entries: ScriptEntries | null;
  /** Function of each inlined call, null where it is not known. */
  readonly owners: ReadonlyMap<number, Owner | null>;
};

/**
 * Which line and which function each position in V8's optimized code is of, by the tables that V8 keeps
 * of code and scripts.
 *
 * A position is an offset in a script. Code that was inlined has those of the inlined function, in that
 * one's script, and the number of the call that was inlined: all entries of a number are of one
 * function. V8 keeps which one, too deep in its heap to be read from outside; but all code takes its
 * positions from the function's bytecode, whose table is here as well. So the inlined function is the one
 * whose bytecode has all of these positions; if several have them, the one of the same script; else it
 * is not known.
 *
 *     JS:*outer /app/a.js:4:15     +0x1b 140    +0x43 91 (0)   +0x5b 33 (1)   +0x6b 72 (1)
 *     JS:~leaf  /app/a.js:1:18           33  46  72
 *     JS:~middle /app/a.js:3:16          91  104                ──▶ outer middle leaf leaf
 *
 * The line is that of the script: V8's list of where its lines end, whatever file it came from, and
 * whether or not that is still there.
 */
export class V8TablePositions {
  readonly #code: V8TableCode;
  readonly #resolved = new Map<number, Resolved | null>();
  /** Isolate and script -> who had it evaluated; null where that is not known. */
  readonly #makers = new Map<string, Maker | null>();
  /** Isolate -> functions by the positions of their bytecode. */
  #ownersAt: ReadonlyMap<number, OwnersAt<Owner>> | null = null;
  /** The entries that were read again last. */
  #last: { readonly row: number; readonly entries: ScriptEntries } | null = null;

  constructor(code: V8TableCode) {
    this.#code = code;
  }

  /**
   * Finds out whose the positions in these rows are, in one pass over the bytecode that keeps nothing else of it: for who asks
   * about little of much code that still comes.
   */
  prepare(rows: Iterable<number>): void {
    const fresh = [...rows].filter((row) => !this.#resolved.has(row));
    const wanted = new PositionSet();
    for (const row of fresh) {
      const read = this.#read(row);
      if (read === null) continue;
      const { position, inlining } = read.entries;
      for (let i = 0; i < position.length; i++) if (inlining[i] !== NONE) wanted.add(position[i]);
    }
    this.#ownersAt = wanted.size === 0 ? new Map() : this.#collect(wanted);
    for (const row of fresh) {
      const resolved = this.#resolve(row);
      this.#resolved.set(row, resolved && { ...resolved, entries: null });
    }
    this.#ownersAt = null;
  }

  /**
   * The position of the code `offset` bytes behind the start of the code of `row`; null where it is not
   * known.
   */
  find(row: number, offset: number): V8Position | null {
    let resolved = this.#resolved.get(row);
    if (resolved === undefined) {
      resolved = this.#resolve(row);
      this.#resolved.set(row, resolved);
    }
    if (resolved === null) return null;
    const { self, name, owners } = resolved;
    const entries = resolved.entries ?? this.#entriesOf(row, name);
    const entry = lastAtMost(entries.offset, offset);
    // Code before the first entry is of no statement: it has the place of its function.
    if (entry < 0) return { file: self.file, line: name.line, column: name.column, inlined: null };
    const inlining = entries.inlining[entry];
    const owner = inlining === NONE ? self : (owners.get(inlining) ?? null);
    if (owner === null) return null;
    const isOwn = owner.function === self.function && owner.script === self.script;
    const place = this.#placeIn(owner, entries.position[entry]);
    // Whose code it is does not depend on the place in it.
    if (place === null && isOwn) return null;
    return {
      file: owner.file,
      line: place?.line ?? 0,
      column: place?.column ?? 0,
      inlined: isOwn ? null : this.#nameOf(owner, formatV8Function(owner.function, name.tier)),
    };
  }

  /** The name `text` of the code of `row`, or of another piece of that function; by its maker where it was evaluated. */
  name(row: number, text: string): string {
    return this.#nameOf({ isolate: this.#code.isolate(row), script: this.#code.script(row) }, text);
  }

  #nameOf({ isolate, script }: Pick<Owner, 'isolate' | 'script'>, text: string): string {
    const place = this.#code.makerOf?.(isolate, script) ?? null;
    const maker = place && this.#makerAt(place, `${isolate} ${script}`);
    const parsed = maker && parseV8Function(text);
    return parsed ? formatV8Function(nameEvaluated(parsed.function, maker), parsed.tier) : text;
  }

  #makerAt({ row, offset }: MakerPlace, script: string): Maker | null {
    const known = this.#makers.get(script);
    if (known !== undefined) return known;
    // A damaged stream may have code that made itself.
    this.#makers.set(script, null);
    const place = this.find(row, offset);
    const by = place && parseV8Function(place.inlined ?? this.#code.name(row));
    const maker = place?.file && by ? { ...place, function: by.function } : null;
    this.#makers.set(script, maker);
    return maker;
  }

  /** Line and column from 1 of a position in the script of `owner`; null where they are not known. */
  #placeIn({ isolate, script }: Owner, position: number): { line: number; column: number } | null {
    const ends = position < 0 ? null : this.#code.lineEnds(isolate, script);
    if (ends === null) return null;
    const line = firstNotBelow(ends, position);
    if (line === ends.length) return null;
    return { line: line + 1, column: position - (line === 0 ? 0 : ends[line - 1] + 1) + 1 };
  }

  /** Null for code without a name of a function. */
  #read(row: number): (Resolved & { readonly entries: ScriptEntries }) | null {
    const text = this.#code.name(row);
    const name = parseV8Name(text);
    const self = ownerOf(this.#code, row, text);
    if (self === null || name === null) return null;
    return { self, name, entries: this.#entries(row, name), owners: new Map() };
  }

  #entriesOf(row: number, name: V8Name): ScriptEntries {
    if (this.#last?.row !== row) this.#last = { row, entries: this.#entries(row, name) };
    return this.#last.entries;
  }

  #entries(row: number, name: V8Name): ScriptEntries {
    const code = this.#code;
    const read = code.entries(row);
    // Without numbers, each entry may be of another function; nothing is inlined in bytecode.
    const isNumbered = code.knowsInlining(row) || code.isBytecode(row);
    const known = isNumbered ? read : { ...read, inlining: read.position };
    return name.tier === 'Maglev' ? mendPeeledLoops(known) : known;
  }

  #resolve(row: number): Resolved | null {
    const read = this.#read(row);
    if (read === null) return null;
    const { self, entries } = read;
    const positionsOf = new Map<number, Set<number>>();
    for (let i = 0; i < entries.position.length; i++) {
      const inlining = entries.inlining[i];
      if (inlining === NONE) continue;
      const there = positionsOf.get(inlining);
      if (there === undefined) positionsOf.set(inlining, new Set([entries.position[i]]));
      else there.add(entries.position[i]);
    }
    const owners = new Map<number, Owner | null>();
    for (const [inlining, positions] of positionsOf) {
      owners.set(inlining, this.#ownerOfAll(positions, self));
    }
    return { ...read, owners };
  }

  /** The function that has all of these positions. */
  #ownerOfAll(positions: ReadonlySet<number>, self: Owner): Owner | null {
    this.#ownersAt ??= this.#collect();
    const ownersAt = this.#ownersAt.get(self.isolate);
    let common: readonly Owner[] | null = null;
    for (const position of positions) {
      if (position < 0) continue;
      const here = ownersAt === undefined ? [] : ownersAt.at(position);
      if (here === null) continue;
      common = common === null ? here : common.filter((owner) => here.includes(owner));
    }
    if (common === null) return null;
    const near = common.filter(({ script }) => script === self.script);
    const [only = null, ...others] = near.length > 0 ? near : common;
    return others.length === 0 ? only : null;
  }

  /** `wanted`: the positions that are asked about; absent: all. */
  #collect(wanted?: PositionSet): Map<number, OwnersAt<Owner>> {
    const code = this.#code;
    const owners = new Map<string, Owner>();
    const collected = new Map<number, OwnersAt<Owner>>();
    let size = 0;
    for (let row = 0; row < code.length && size < MOST_POSITIONS; row++) {
      if (!code.isBytecode(row)) continue;
      if (wanted !== undefined && code.hasAny?.(row, wanted) === false) continue;
      const read = ownerOf(code, row, code.name(row));
      if (read === null) continue;
      const key = `${read.isolate} ${read.script} ${read.function}`;
      const owner = owners.get(key) ?? read;
      owners.set(key, owner);
      const ownersAt = getOrMake(collected, owner.isolate, () => new OwnersAt());
      const positions = [...code.entries(row).position, this.#startOf(code.name(row), owner)];
      for (const position of positions) {
        if (wanted?.has(position) === false) continue;
        ownersAt.add(position, owner);
        size++;
      }
    }
    return collected;
  }

  /** The position at which a function begins, which code has as well; its name has it as line and column. */
  #startOf(text: string, { isolate, script }: Owner): number {
    const { line = 0, column = 0 } = parseV8Name(text) ?? {};
    const ends = this.#code.lineEnds(isolate, script);
    if (line === 0 || column === 0 || ends === null || line > ends.length) return NONE;
    return (line === 1 ? 0 : ends[line - 2] + 1) + column - 1;
  }
}

function ownerOf(code: V8TableCode, row: number, text: string): Owner | null {
  const parsed = parseV8Function(text);
  const name = parseV8Name(text);
  if (parsed === null || name === null) return null;
  const isolate = code.isolate(row);
  return { isolate, script: code.script(row), function: parsed.function, file: name.file };
}
