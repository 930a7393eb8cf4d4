import { TracepointFormats } from '../../src/tracepoint/tracepoint-formats.ts';

export const NAME = 'drawn';
const ID = 77;

/** A field as it stands in a format file, and the bytes that it has in the sample. */
export type DrawnField = readonly [declaration: string, bytes: Uint8Array, signed?: boolean];

export type DrawnOptions = {
  readonly longSize?: number;
  readonly littleEndian?: boolean;
  /** Bytes behind the fields, for those that point there. */
  readonly tail?: Uint8Array;
  readonly printkFormats?: string;
  readonly symbolOf?: (address: number) => { name: string; offset: number } | null;
};

/** One sample of a tracepoint whose fields and print fmt the test draws. */
export function drawSample(
  drawn: readonly DrawnField[],
  printFmt: string,
  options: DrawnOptions = {},
) {
  const { longSize = 8, littleEndian = true, tail = new Uint8Array(0) } = options;
  let offset = 8;
  const lines: string[] = [];
  const parts: Uint8Array[] = [integer(ID, 2, littleEndian), integer(0, 6, littleEndian)];
  for (const [declaration, bytes, signed = false] of drawn) {
    const { length } = bytes;
    lines.push(
      `\tfield:${declaration};\toffset:${offset};\tsize:${length};\tsigned:${Number(signed)};\n`,
    );
    parts.push(bytes);
    offset += length;
  }
  const text =
    `name: ${NAME}\nID: ${ID}\nformat:\n` +
    '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n' +
    `\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n${lines.join('')}\n` +
    `print fmt: ${printFmt}\n`;
  const formats = TracepointFormats.fromTexts(
    {
      formats: [{ system: 'test', text }],
      longSize,
      littleEndian,
      printkFormats: options.printkFormats ?? '',
    },
    { symbolOf: options.symbolOf },
  );
  const bytes = Buffer.concat([...parts, tail]);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const format = formats.of(ID)!;
  return {
    format,
    formats,
    view,
    text: format.text(view, 0, bytes.length, littleEndian),
    fields: Object.fromEntries(format.fields(view, 0, bytes.length, littleEndian)),
  };
}

/** An integer's bytes. */
export function integer(value: number | bigint, size: number, littleEndian = true): Uint8Array {
  const bytes = new Uint8Array(size);
  let left = BigInt.asUintN(size * 8, BigInt(value));
  for (let i = 0; i < size; i++) {
    bytes[littleEndian ? i : size - 1 - i] = Number(left & 0xffn);
    left >>= 8n;
  }
  return bytes;
}

/** Characters in an array of `size`, NULs behind them. */
export function characters(text: string, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  bytes.set(Buffer.from(text).subarray(0, size));
  return bytes;
}
