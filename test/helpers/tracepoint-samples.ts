import type { TracepointFormat } from '../../src/kernel/tracepoint/tracepoint-format.ts';
import { TracepointFormats } from '../../src/kernel/tracepoint/tracepoint-formats.ts';

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
  const formats = new TracepointFormats(
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

/**
 * Raw data for a format: small positive integers, words in arrays of characters, and behind the
 * fields 16 bytes for each one that points there.
 */
export function drawRawData(
  format: TracepointFormat,
  random: () => number,
  littleEndian: boolean,
): Uint8Array {
  const below = (limit: number): number => Math.floor(random() * limit);
  const end = Math.max(8, ...format.fieldList.map(({ offset, size }) => offset + size));
  const dynamic = format.fieldList.filter(({ location }) => location !== 'fixed');
  // perf wants the raw data's u32 length and themselves to fill whole words.
  const tailAt = end;
  const raw = new Uint8Array(Math.ceil((tailAt + 16 * dynamic.length + 4) / 8) * 8 - 4);
  raw.set(integer(format.id, 2, littleEndian));
  let nextTail = tailAt;
  for (const field of format.fieldList) {
    const { offset, size, isArray, isString, location } = field;
    if (location !== 'fixed') {
      const base = location === 'relative' ? offset + size : 0;
      raw.set(integer((16 << 16) | (nextTail - base), 4, littleEndian), offset);
      const content = isString
        ? characters(['eth0', 'vda', 'a b'][below(3)], 16)
        : integers(16 / field.elementSize, field.elementSize, below, littleEndian);
      raw.set(content, nextTail);
      nextTail += 16;
    } else if (isString) {
      raw.set(characters('comm', size), offset);
    } else if (isArray || ![1, 2, 4, 8].includes(size)) {
      const width = isArray ? field.elementSize : 1;
      raw.set(integers(size / width, width, below, littleEndian), offset);
    } else {
      raw.set(integer(below(size === 1 ? 100 : 4000), size, littleEndian), offset);
    }
  }
  return raw;
}

function integers(
  count: number,
  size: number,
  below: (limit: number) => number,
  littleEndian: boolean,
): Uint8Array {
  return Buffer.concat(
    Array.from({ length: Math.floor(count) }, () => integer(below(100), size, littleEndian)),
  );
}
