/** One function: its name, first address, file, and how many bytes each line has. */
export type DrawnFunction = {
  readonly name: string;
  readonly at: number;
  readonly file: string;
  readonly lines: readonly (readonly [line: number, bytes: number])[];
};

export type DrawnGoTable = {
  readonly version: 2 | 16 | 18 | 20;
  readonly littleEndian: boolean;
  readonly pointerBytes: 4 | 8;
  /** Address that entries count from, from Go 1.18 on. */
  readonly text: number;
  readonly functions: readonly DrawnFunction[];
  /** Address behind the last function. */
  readonly end: number;
};

const MAGIC = { 2: 0xfffffffb, 16: 0xfffffffa, 18: 0xfffffff0, 20: 0xfffffff1 } as const;

/** Bytes that grow, with places that are filled in later. */
class Drawing {
  readonly #bytes: number[] = [];
  readonly #little: boolean;

  constructor(littleEndian: boolean) {
    this.#little = littleEndian;
  }

  get length(): number {
    return this.#bytes.length;
  }

  put(value: number, size: number, at = this.#bytes.length): void {
    for (let i = 0; i < size; i++) {
      const place = this.#little ? i : size - 1 - i;
      this.#bytes[at + place] = Number((BigInt(value) >> BigInt(8 * i)) & 0xffn);
    }
  }

  text(text: string): void {
    for (const byte of new TextEncoder().encode(`${text}\0`)) this.put(byte, 1);
  }

  varint(value: number): void {
    for (let rest = value; ; rest >>>= 7) {
      this.put(rest > 127 ? (rest & 127) | 128 : rest, 1);
      if (rest <= 127) return;
    }
  }

  /** A table of values: each with the bytes that it holds for. */
  values(pairs: readonly (readonly [value: number, bytes: number])[]): void {
    let last = -1;
    for (const [value, bytes] of pairs) {
      const difference = value - last;
      this.varint(difference < 0 ? -2 * difference - 1 : 2 * difference);
      this.varint(bytes);
      last = value;
    }
    this.varint(0);
  }

  align(size: number): void {
    while (this.length % size !== 0) this.put(0, 1);
  }

  finish(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

/** A `.gopclntab` as the linker of a Go release writes it, without pcdata and funcdata. */
export function drawGoTable(drawn: DrawnGoTable): Uint8Array {
  const { version, pointerBytes, functions, text } = drawn;
  const out = new Drawing(drawn.littleEndian);
  out.put(MAGIC[version], 4);
  for (const byte of [0, 0, 1, pointerBytes]) out.put(byte, 1);
  out.put(functions.length, pointerBytes);
  return version === 2 ? drawOld(drawn, out) : drawNew(drawn, out, text);
}

/** Words of a record behind its entry: all but the four that matter are 0. */
function record(
  out: Drawing,
  { version, pointerBytes }: DrawnGoTable,
  entry: number,
  [name, file, line]: readonly number[],
): void {
  out.put(entry, version < 18 ? pointerBytes : 4);
  for (const word of [name, 0, 0, 0, file, line, 0]) out.put(word, 4);
  if (version >= 16) out.put(0, 4);
  if (version === 20) out.put(1, 4);
  out.put(0, 4);
}

function drawOld(drawn: DrawnGoTable, out: Drawing): Uint8Array {
  const { functions, pointerBytes, end } = drawn;
  const rows = out.length;
  const filesAt = rows + (2 * functions.length + 1) * pointerBytes;
  for (const { at } of functions) {
    out.put(at, pointerBytes);
    out.put(0, pointerBytes);
  }
  out.put(end, pointerBytes);
  out.put(0, 4);
  functions.forEach(({ name, at, lines }, index) => {
    const nameAt = out.length;
    out.text(name);
    const fileAt = out.length;
    const bytes = lines.reduce((sum, [, size]) => sum + size, 0);
    out.values([[index + 1, bytes]]);
    const linesAt = out.length;
    out.values(lines);
    out.align(pointerBytes);
    out.put(out.length, pointerBytes, rows + (2 * index + 1) * pointerBytes);
    record(out, drawn, at, [nameAt, fileAt, linesAt]);
  });
  const names = functions.map(({ file }) => {
    const at = out.length;
    out.text(file);
    return at;
  });
  out.align(4);
  out.put(out.length, 4, filesAt);
  // Files are numbered from 1, and their count stands where file 0 would.
  out.put(functions.length + 1, 4);
  for (const at of names) out.put(at, 4);
  return out.finish();
}

function drawNew(drawn: DrawnGoTable, out: Drawing, text: number): Uint8Array {
  const { functions, pointerBytes, version, end } = drawn;
  out.put(functions.length, pointerBytes);
  if (version >= 18) out.put(text, pointerBytes);
  const header = out.length;
  for (let part = 0; part < 5; part++) out.put(0, pointerBytes);
  const begin = (part: number) => {
    out.align(pointerBytes);
    out.put(out.length, pointerBytes, header + part * pointerBytes);
    return out.length;
  };
  const textsOf = (start: number, texts: readonly string[]) =>
    texts.map((each) => {
      const at = out.length - start;
      out.text(each);
      return at;
    });
  const names = textsOf(
    begin(0),
    functions.map(({ name }) => name),
  );
  const unitsAt = begin(1);
  for (const _ of functions) out.put(0, 4);
  const files = textsOf(
    begin(2),
    functions.map(({ file }) => file),
  );
  files.forEach((at, index) => void out.put(at, 4, unitsAt + 4 * index));
  const values = begin(3);
  // An offset of 0 means that there is no table.
  out.put(0, 1);
  const tables = functions.map(({ lines }, index) => {
    const file = out.length - values;
    out.values([[index, lines.reduce((sum, [, size]) => sum + size, 0)]]);
    const line = out.length - values;
    out.values(lines);
    return [file, line];
  });
  const records = begin(4);
  const entryBytes = version < 18 ? pointerBytes : 4;
  const base = version < 18 ? 0 : text;
  for (const { at } of functions) {
    out.put(at - base, entryBytes);
    out.put(0, entryBytes);
  }
  out.put(end - base, entryBytes);
  functions.forEach(({ at }, index) => {
    out.align(pointerBytes);
    out.put(out.length - records, entryBytes, records + (2 * index + 1) * entryBytes);
    record(out, drawn, at - base, [names[index], ...tables[index]]);
  });
  return out.finish();
}
