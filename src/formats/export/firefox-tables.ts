import { NONE } from '../../base/brand.ts';
import { getOrMake } from '../../base/group-by.ts';
import { printable } from '../../base/printable.ts';
import { StringTable } from '../../base/string-table.ts';
import { dsoPlace } from '../../profile/dso-place.ts';
import { funcLabel } from '../../profile/func-label.ts';
import { lostFunc } from '../../profile/losses.ts';
import type { Dso, Profile } from '../../profile/types.ts';
import { filesOfFuncs } from './func-files.ts';
import type { TextBuffer } from './text-buffer.ts';

/** Rows are those of `TIERS`. */
const TIER_NAMES = [
  'Other',
  'Interpreted',
  'Baseline',
  'Maglev',
  'TurboFan',
  'DFG',
  'FTL',
] as const;

/** The first grey one is the default: of what belongs nowhere else. Indexes are `CATEGORY`'s. */
export const CATEGORIES = [
  { name: 'Other', color: 'grey', subcategories: ['Other'] },
  { name: 'User', color: 'yellow', subcategories: ['Other', 'vDSO'] },
  { name: 'Kernel', color: 'orange', subcategories: ['Other', 'Module'] },
  { name: 'JIT', color: 'green', subcategories: TIER_NAMES },
  { name: 'Guest', color: 'purple', subcategories: ['Other'] },
  { name: 'Lost', color: 'red', subcategories: ['Other'] },
] as const;
export const CATEGORY = { OTHER: 0, USER: 1, KERNEL: 2, JIT: 3, GUEST: 4, LOST: 5 } as const;

const RESOURCE_LIBRARY = 1;
const NO_ADDRESS = -1;

/**
 * The tables that the threads of a processed profile share, as its JSON: strings, functions, frames, stacks,
 * libraries. Rows are the profile's own; only strings are numbered anew, those that are used.
 *
 * A frame's address is its offset in the library's file. Frames of the kernel and of JIT code have
 * none: where their libraries begin is not known. `nativeSymbols` is empty, since the profile has
 * names of functions, not where they start; all is symbolized already, so nothing looks them up.
 */
export class FirefoxTables {
  readonly #profile: Profile;
  readonly #strings = new StringTable();
  /** DSO -> row of `libs`, −1 for a DSO that is not a library. */
  readonly #libOfDso: Int32Array;

  readonly #lostFunc: number;

  constructor(profile: Profile) {
    this.#profile = profile;
    this.#lostFunc = lostFunc(profile);
    let libs = 0;
    this.#libOfDso = Int32Array.from(profile.dsos, (dso) => (isLibrary(dso) ? libs++ : NONE));
  }

  /** The index of a name from anywhere, made printable. */
  string(text: string): number {
    return this.#strings.intern(printable(text));
  }

  libs(): object[] {
    return this.#profile.dsos.filter(isLibrary).map((dso) => {
      const name = printable(dso.name);
      const path = printable(dsoPlace(dso));
      return {
        arch: this.#profile.meta.arch ?? '',
        name,
        path,
        debugName: name,
        debugPath: path,
        breakpadId: dso.buildId === null ? '' : breakpadId(dso.buildId),
        codeId: dso.buildId === null ? null : dso.buildId.toUpperCase(),
      };
    });
  }

  /** The value of `shared`. Call it last: it holds every string that was asked for. */
  write(buffer: TextBuffer): void {
    buffer.add('{"stackTable":');
    this.#writeStacks(buffer);
    buffer.add(',\n"funcTable":');
    const sources = this.#writeFuncs(buffer);
    buffer.add(',\n"frameTable":');
    this.#writeFrames(buffer);
    buffer.add(',\n"resourceTable":');
    const { dsos } = this.#profile;
    writeTable(buffer, dsos.length, {
      name: (dso) => this.string(dsos[dso].name),
      host: () => null,
      type: () => RESOURCE_LIBRARY,
    });
    buffer.add(
      ',\n"nativeSymbols":{"length":0,"libIndex":[],"address":[],"name":[],"functionSize":[]}' +
        ',"sourceLocationTable":{"length":0,"source":[],"line":[],"column":[]},"sources":',
    );
    writeTable(buffer, sources.length, {
      id: () => null,
      filename: (source) => sources[source],
      startLine: () => 1,
      startColumn: () => 1,
      sourceMapURL: () => null,
      content: () => null,
    });
    buffer.add(',\n"stringArray":[');
    for (const [index, text] of this.#strings.strings.entries()) {
      buffer.add((index === 0 ? '' : ',') + JSON.stringify(text));
    }
    buffer.add(']}');
  }

  #writeStacks(buffer: TextBuffer): void {
    const { length, frame, prefix } = this.#profile.stacks;
    writeTable(buffer, length, {
      frame: (row) => frame[row],
      // How far back the caller is; 0 at the root.
      prefixOffset: (row) => (prefix[row] === NONE ? 0 : row - prefix[row]),
    });
  }

  /**
   * Returns the file names of functions that have one, as string indexes: the rows of `sources`.
   */
  #writeFuncs(buffer: TextBuffer): number[] {
    const { funcs } = this.#profile;
    const files = filesOfFuncs(this.#profile);
    const sourceOfFile = new Map<number, number>();
    const sources: number[] = [];
    const source = new Int32Array(funcs.length).fill(NONE);
    for (let func = 0; func < funcs.length; func++) {
      const file = files[func];
      if (file === NONE) continue;
      const index = getOrMake(
        sourceOfFile,
        file,
        () => sources.push(this.string(this.#profile.strings[file])) - 1,
      );
      source[func] = index;
    }
    const isJs = (func: number) => funcs.file[func] !== NONE;
    writeTable(buffer, funcs.length, {
      name: (func) => this.string(funcLabel(this.#profile, func)),
      isJS: isJs,
      relevantForJS: () => false,
      resource: (func) => funcs.dso[func],
      source: (func) => (source[func] === NONE ? null : source[func]),
      lineNumber: (func) => (isJs(func) ? funcs.line[func] : null),
      columnNumber: (func) => (isJs(func) ? funcs.column[func] : null),
      originalLocation: () => null,
    });
    return sources;
  }

  #writeFrames(buffer: TextBuffer): void {
    const { frames, funcs, dsos } = this.#profile;
    const category = new Uint8Array(funcs.length);
    const subcategory = new Uint8Array(funcs.length);
    for (let func = 0; func < funcs.length; func++) {
      [category[func], subcategory[func]] = this.#categoryOf(func);
    }
    const funcOf = (frame: number) => frames.func[frame];
    const libOf = (frame: number) => {
      const dso = frames.dso[frame];
      return dso === NONE ? NONE : this.#libOfDso[dso];
    };
    const isInFile = Uint8Array.from(dsos, ({ kind }) =>
      kind === 'user' || kind === 'vdso' ? 1 : 0,
    );
    writeTable(buffer, frames.length, {
      address: (frame) => (isInFile[frames.dso[frame]] === 1 ? frames.address[frame] : NO_ADDRESS),
      lib: libOf,
      inlineDepth: (frame) => (frames.dso[frame] === NONE ? 0 : frames.inlineDepth[frame]),
      category: (frame) => category[funcOf(frame)],
      subcategory: (frame) =>
        category[funcOf(frame)] === CATEGORY.JIT ? frames.tier[frame] : subcategory[funcOf(frame)],
      func: funcOf,
      nativeSymbol: () => null,
      innerWindowID: () => 0,
      line: (frame) => frames.line[frame] || null,
      column: (frame) => frames.column[frame] || null,
      originalLocation: () => null,
    });
  }

  #categoryOf(func: number): [category: number, subcategory: number] {
    const { funcs, dsos } = this.#profile;
    if (func === this.#lostFunc) return [CATEGORY.LOST, 0];
    switch (dsos[funcs.dso[func]]?.kind) {
      case 'user':
        return [CATEGORY.USER, 0];
      case 'vdso':
        return [CATEGORY.USER, 1];
      case 'kernel':
        return [CATEGORY.KERNEL, 0];
      case 'module':
        return [CATEGORY.KERNEL, 1];
      case 'jit':
        return [CATEGORY.JIT, 0];
      case 'guest':
        return [CATEGORY.GUEST, 0];
      default:
        return [CATEGORY.OTHER, 0];
    }
  }
}

function isLibrary({ kind }: Dso): boolean {
  return kind !== 'jit' && kind !== 'unknown';
}

type Cell = number | boolean | null;

/** `{"length":n,"column":[…],…}`, column by column. */
// Hot: once per row and column.
function writeTable(
  buffer: TextBuffer,
  length: number,
  columns: Readonly<Record<string, (row: number) => Cell>>,
): void {
  buffer.add(`{"length":${length}`);
  for (const [name, cellAt] of Object.entries(columns)) {
    buffer.add(`,\n"${name}":[`);
    for (let row = 0; row < length; row++) {
      const cell = cellAt(row);
      buffer.add(row === 0 ? `${cell}` : `,${cell}`);
    }
    buffer.add(']');
  }
  buffer.add('}');
}

/** Bytes of a build ID that a breakpad ID has room for. */
const GUID_BYTES = 16;

/**
 * The breakpad ID of a build ID (lower-case hex): its first 16 bytes, missing ones as zero, taken
 * for a GUID of a little-endian machine, as upper-case hex; and an age, which ELF does not have.
 *
 *   build ID     e4f18d9d c1d0 e6fc 2b17e93e885a647b 3c0a6fc1
 *   breakpad ID  9D8DF1E4 D0C1 FCE6 2B17E93E885A647B 0
 */
export function breakpadId(buildId: string): string {
  const hex = buildId.padEnd(GUID_BYTES * 2, '0').slice(0, GUID_BYTES * 2);
  const reversed = (from: number, to: number) => hex.slice(from, to).match(/../g)!.toReversed();
  const swapped = [...reversed(0, 8), ...reversed(8, 12), ...reversed(12, 16)].join('');
  return `${swapped}${hex.slice(16)}0`.toUpperCase();
}
