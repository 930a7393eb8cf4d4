import { NONE } from '../../base/brand.ts';
import { addCallFrame } from './call-frame.ts';
import type { ImportedProfileBuilder } from './imported-profile.ts';
import { asArray, asNumber, asObject, asText } from './json-text.ts';

type Json = Readonly<Record<string, unknown>>;

/** Code that nobody named is called by its address. */
const ADDRESS = /^0x[0-9a-f]+$/i;

/** The stacks of a thread of a processed profile, by rows of its table. */
export class FirefoxStacks {
  readonly #builder: ImportedProfileBuilder;
  readonly #strings: readonly unknown[];
  readonly #frames: Columns;
  readonly #funcs: Columns;
  readonly #resources: Columns;
  readonly #sources: Columns;
  readonly #libs: readonly unknown[];
  /** The stack of each row; null: it contradicts the file. */
  readonly #stacks: (number | null)[] = [];
  /** The frame of native code of each row; NONE: not made yet. */
  readonly #made: Int32Array;

  constructor(file: Json, thread: Json, builder: ImportedProfileBuilder) {
    const shared = asObject(file.shared);
    const table = (name: string) => columnsOf(asObject(thread[name]) ?? asObject(shared?.[name]));
    this.#builder = builder;
    this.#strings = asArray(thread.stringArray ?? thread.stringTable ?? shared?.stringArray);
    this.#frames = table('frameTable');
    this.#funcs = table('funcTable');
    this.#resources = table('resourceTable');
    this.#sources = table('sources');
    this.#libs = asArray(file.libs ?? thread.libs);
    this.#made = new Int32Array(this.#frames('func').length).fill(NONE);
    this.#addAll(table('stackTable'));
  }

  /** The stack of a row; null where there is none. */
  at(row: unknown): number | null {
    return typeof row === 'number' ? (this.#stacks[row] ?? null) : null;
  }

  /** Callers stand before those that they call: `prefix` is their row, `prefixOffset` how far before it is. */
  #addAll(stacks: Columns): void {
    const frames = stacks('frame');
    const prefixes = stacks('prefix');
    const offsets = stacks('prefixOffset');
    for (let row = 0; row < frames.length; row++) {
      const offset = asNumber(offsets[row], 0);
      const prefix = offset > 0 ? row - offset : asNumber(prefixes[row], NONE);
      const before = prefix === NONE ? NONE : (this.#stacks[prefix] ?? null);
      this.#stacks.push(before === null ? null : this.#extend(before, asNumber(frames[row], NONE)));
    }
  }

  #extend(prefix: number, frame: number): number | null {
    const func = this.#frames('func')[frame];
    if (typeof func !== 'number') return null;
    const name = this.#text(this.#funcs('name')[func]) || '(anonymous)';
    const url = this.#sourceOf(func);
    if (this.#funcs('isJS')[func] === true && url !== '') {
      const lineNumber = asNumber(this.#funcs('lineNumber')[func], 0) - 1;
      const columnNumber = asNumber(this.#funcs('columnNumber')[func], 0) - 1;
      const called = { functionName: name, url, lineNumber, columnNumber };
      return addCallFrame(this.#builder, prefix, called);
    }
    const dso = this.#dsoOf(frame, func);
    if (dso !== null && ADDRESS.test(name)) {
      const address = asNumber(this.#frames('address')[frame], NONE);
      return this.#builder.stack(prefix, '[unknown]', dso, address < 0 ? null : address, 0);
    }
    if (this.#made[frame] === NONE) {
      const [line, column] = ['line', 'column'].map((each) =>
        asNumber(this.#frames(each)[frame], 0),
      );
      const source = url === '' ? dso : url;
      this.#made[frame] = this.#builder.frameOnLine(name, dso, line, column, { source });
    }
    return this.#builder.extend(prefix, this.#made[frame]);
  }

  /** Path or URL of a function's source; empty where it is not known. */
  #sourceOf(func: number): string {
    const source = this.#funcs('source')[func];
    const file = typeof source === 'number' ? this.#sources('filename')[source] : undefined;
    return this.#text(file ?? this.#funcs('fileName')[func]);
  }

  #dsoOf(frame: number, func: number): string | null {
    const resource = asNumber(this.#funcs('resource')[func], NONE);
    const lib = asObject(
      this.#libs[asNumber(this.#frames('lib')[frame] ?? this.#resources('lib')[resource], NONE)],
    );
    const name =
      asText(lib?.path) || asText(lib?.name) || this.#text(this.#resources('name')[resource]);
    return name === '' ? null : name;
  }

  #text(index: unknown): string {
    return typeof index === 'number' ? asText(this.#strings[index]) : '';
  }
}

/** The column of a table by its name; empty where the table has none. */
type Columns = (name: string) => readonly unknown[];

function columnsOf(table: Json | null): Columns {
  return (name) => asArray(table?.[name]);
}
