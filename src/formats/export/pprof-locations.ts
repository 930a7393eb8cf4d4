import { NONE } from '../../base/brand.ts';
import { printable } from '../../base/printable.ts';
import type { StringTable } from '../../base/string-table.ts';
import { signedAddress } from '../../base/u64.ts';
import { dsoPlace } from '../../profile/dso-place.ts';
import { funcLabel } from '../../profile/func-label.ts';
import { UNKNOWN_FUNC_NAME } from '../../profile/func-table.ts';
import { isInlinedInCaller } from '../../profile/inlined-frames.ts';
import { lostFunc } from '../../profile/losses.ts';
import type { Profile } from '../../profile/types.ts';
import { filesOfFuncs } from './func-files.ts';
import { type MappedRange, RangeFinder } from './mapped-range.ts';

/** Rows of `message Location`, `Line`, `Function` and `Mapping`; strings are indexes. */
export type PprofLocation = {
  readonly id: number;
  readonly mappingId: number;
  readonly address: number | bigint;
  readonly lines: readonly PprofLine[];
};
export type PprofLine = { readonly functionId: number; readonly line: number };
export type PprofFunction = {
  readonly id: number;
  readonly name: number;
  readonly file: number;
  readonly startLine: number;
};
export type PprofMapping = {
  readonly id: number;
  readonly memoryStart: number | bigint;
  readonly memoryLimit: number | bigint;
  readonly fileOffset: number;
  readonly file: number;
  readonly buildId: number;
  readonly hasFunctions: boolean;
};

/** A mapping that grows with the addresses in it. */
type OpenMapping = {
  readonly id: number;
  readonly memoryStart: number;
  limit: number;
  readonly fileOffset: number;
  readonly file: number;
  readonly buildId: number;
  readonly dso: number;
};

/** The end of memory, 2^64 − 1, in signed form. */
const LAST_ADDRESS = -1;

/**
 * The code of a profile as pprof has it. Only what stacks ask for gets a row; ids begin at 1.
 *
 *   location   one place in machine code: an absolute address, its mapping, and a line for each
 *              function there, the innermost of the inlined ones first
 *   mapping    a range of a DSO (see `RangeFinder`); a DSO of which no range is known is one
 *              mapping from 0, whose addresses are offsets in the file
 *   function   a name and a file, where it is known; of JavaScript also the line where it begins
 */
export class PprofLocations {
  readonly locations: PprofLocation[] = [];
  readonly functions: PprofFunction[] = [];
  readonly #profile: Profile;
  readonly #strings: StringTable;
  readonly #ranges: RangeFinder;
  readonly #mappings: OpenMapping[] = [];
  readonly #mappingOfRange = new Map<MappedRange | number, number>();
  /** Frame that is the innermost of its place -> location id; 0 where none exists yet. */
  readonly #locationOfFrame: Int32Array;
  readonly #functionOfFunc: Int32Array;
  readonly #fileOfFunc: Int32Array;
  readonly #dsoIsNamed: Uint8Array;
  readonly #lostFunc: number;

  constructor(profile: Profile, ranges: readonly MappedRange[], strings: StringTable) {
    this.#profile = profile;
    this.#lostFunc = lostFunc(profile);
    this.#strings = strings;
    this.#ranges = new RangeFinder(ranges);
    this.#locationOfFrame = new Int32Array(profile.frames.length);
    this.#functionOfFunc = new Int32Array(profile.funcs.length);
    this.#fileOfFunc = filesOfFuncs(profile);
    this.#dsoIsNamed = new Uint8Array(profile.dsos.length);
  }

  /** Location ids of a stack, the innermost first. */
  // Hot: once per frame.
  ofStack(stack: number): number[] {
    const { frame, prefix } = this.#profile.stacks;
    const ids: number[] = [];
    let row = stack;
    while (row !== NONE) {
      const innermost = frame[row];
      const known = this.#locationOfFrame[innermost];
      ids.push(known !== 0 ? known : this.#addLocation(row));
      // Callers that the innermost function is inlined into are lines of the same location.
      while (isInlinedInCaller(this.#profile, row)) row = prefix[row];
      row = prefix[row];
    }
    return ids;
  }

  /** The program first, also where its own frames are folded: readers take the first mapping for what was profiled. */
  mappings(): PprofMapping[] {
    const { dsos } = this.#profile;
    const rankOf = ({ dso }: { dso: number }) => {
      const { kind, name } = dsos[dso];
      return kind !== 'user' ? 2 : /\.so(\.|$)/.test(name) ? 1 : 0;
    };
    const program = dsos.findIndex((_, dso) => rankOf({ dso }) === 0);
    if (program !== NONE && !this.#mappings.some((mapping) => rankOf(mapping) === 0)) {
      this.#mappingFor(program, null);
      this.#dsoIsNamed[program] = 1;
    }
    const sorted = this.#mappings.toSorted((a, b) => rankOf(a) - rankOf(b));
    return sorted.map(({ dso, limit, memoryStart, ...mapping }) => ({
      ...mapping,
      memoryStart: signedAddress(memoryStart),
      memoryLimit: signedAddress(limit),
      hasFunctions: this.#dsoIsNamed[dso] === 1,
    }));
  }

  #addLocation(innermost: number): number {
    const { frames, stacks } = this.#profile;
    const frame = stacks.frame[innermost];
    const lines = [this.#lineOf(frame)];
    for (let row = innermost; isInlinedInCaller(this.#profile, row); ) {
      row = stacks.prefix[row];
      lines.push(this.#lineOf(stacks.frame[row]));
    }
    const id = this.locations.length + 1;
    this.#locationOfFrame[frame] = id;
    this.locations.push(
      frames.func[frame] === this.#lostFunc
        ? { id, lines, mappingId: 0, address: 0 }
        : { id, lines, ...this.#place(frames.dso[frame], frame) },
    );
    return id;
  }

  #lineOf(frame: number): PprofLine {
    const { frames } = this.#profile;
    const functionId = this.#functionOf(frames.func[frame]);
    return { functionId, line: Math.max(0, frames.line[frame]) };
  }

  /** Absolute address and mapping of a frame. */
  #place(dso: number, frame: number): Pick<PprofLocation, 'address' | 'mappingId'> {
    const address = this.#profile.frames.address[frame];
    if (dso === NONE) return { address: signedAddress(address), mappingId: 0 };
    const range = this.#ranges.find(dso, address);
    const mapping = this.#mappingFor(dso, range);
    if (range === null) {
      if (address < 0) mapping.limit = LAST_ADDRESS;
      else if (mapping.limit >= 0) mapping.limit = Math.max(mapping.limit, address + 1);
      return { address: signedAddress(address), mappingId: mapping.id };
    }
    const place = signedAddress(address - range.first + range.start);
    return { address: place, mappingId: mapping.id };
  }

  #mappingFor(dso: number, range: MappedRange | null): OpenMapping {
    const key = range ?? dso;
    const known = this.#mappingOfRange.get(key);
    if (known !== undefined) return this.#mappings[known];
    const mapped = this.#profile.dsos[dso];
    const mapping = {
      id: this.#mappings.length + 1,
      memoryStart: range?.start ?? 0,
      limit: range === null ? 1 : range.end === 0 ? LAST_ADDRESS : range.end,
      fileOffset: range === null || range.first === range.start ? 0 : range.first,
      file: this.#strings.intern(printable(dsoPlace(mapped))),
      buildId: this.#strings.intern(mapped.buildId ?? ''),
      dso,
    };
    this.#mappingOfRange.set(key, this.#mappings.length);
    this.#mappings.push(mapping);
    return mapping;
  }

  #functionOf(func: number): number {
    const known = this.#functionOfFunc[func];
    if (known !== 0) return known;
    const { funcs, strings } = this.#profile;
    const dso = funcs.dso[func];
    const isNamed = strings[funcs.name[func]] !== UNKNOWN_FUNC_NAME;
    if (isNamed && dso !== NONE) this.#dsoIsNamed[dso] = 1;
    const name = this.#strings.intern(printable(funcLabel(this.#profile, func)));
    const id = this.functions.length + 1;
    const file = this.#fileOfFunc[func];
    const startLine = funcs.line[func];
    this.functions.push({
      id,
      name,
      file: file === NONE ? 0 : this.#strings.intern(printable(strings[file])),
      startLine: file === NONE ? 0 : Math.max(0, startLine),
    });
    this.#functionOfFunc[func] = id;
    return id;
  }
}
