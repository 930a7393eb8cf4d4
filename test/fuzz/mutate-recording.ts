import {
  below,
  mutateBytes,
  mutateFormat,
  pick,
  putWord,
  type Random,
  type Region,
  spliced,
} from './mutate-bytes.ts';

const PIPE_HEADER_BYTES = 16;
const FILE_HEADER_BYTES = 104;
const TYPES = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22],
  ...[64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84],
];
/** Of a record's header. */
const HEADER_BYTES = 8;
const MOST_RECORDS = 2000;

type Layout = {
  readonly littleEndian: boolean;
  readonly isPipe: boolean;
  readonly data: Region;
  /** What the header says lies behind the records. */
  readonly sections: Region;
  readonly attrs: Region;
  /** Where records begin. */
  readonly records: readonly number[];
};

/**
 * A recording with records doubled, left out, swapped, cut, of another type or from another
 * recording, with extreme words in headers, attrs, sections and bodies, or with any bytes changed.
 */
export function mutateRecording(seed: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  return mutateFormat(seed, other, random, { findLayout, change, mostChanges: 4, anyBytes: 0.15 });
}

function change(bytes: Uint8Array, layout: Layout, other: Uint8Array, random: Random): Uint8Array {
  const { records, littleEndian } = layout;
  const kind = below(random, 16);
  if (kind === 0) {
    putWord(bytes, 8 * below(random, FILE_HEADER_BYTES / 8), 8, random, littleEndian);
    return bytes;
  }
  if (kind <= 2) return mutateBytes(bytes, other, random, layout.attrs);
  if (kind <= 4) return mutateBytes(bytes, other, random, layout.sections);
  if (records.length === 0) return mutateBytes(bytes, other, random);
  const at = pick(random, records);
  const size = sizeAt(bytes, at, littleEndian);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (kind) {
    case 5:
      view.setUint16(
        at + 6,
        below(random, 2) === 0 ? below(random, 65536) : size + below(random, 33) - 16,
        littleEndian,
      );
      return bytes;
    case 6:
      view.setUint32(at, pick(random, TYPES), littleEndian);
      return bytes;
    case 7:
      view.setUint16(at + 4, below(random, 65536), littleEndian);
      return bytes;
    case 8:
      return withData(bytes, layout, spliced(bytes, at, size, new Uint8Array(0)));
    case 9: {
      const copies = random() < 0.1 ? 50 : 1 + below(random, 3);
      const record = bytes.slice(at, at + size);
      let longer = bytes;
      for (let i = 0; i < copies; i++) longer = spliced(longer, at, 0, record);
      return withData(bytes, layout, longer);
    }
    case 10: {
      const target = pick(random, records);
      const record = bytes.slice(at, at + size);
      const without = spliced(bytes, at, size, new Uint8Array(0));
      return spliced(without, target > at ? Math.max(at, target - size) : target, 0, record);
    }
    case 11: {
      const otherLayout = findLayout(other);
      if (otherLayout === null || otherLayout.records.length === 0) return bytes;
      const from = pick(random, otherLayout.records);
      const length = sizeAt(other, from, otherLayout.littleEndian) * (1 + below(random, 3));
      return withData(bytes, layout, spliced(bytes, at, 0, other.subarray(from, from + length)));
    }
    case 12: {
      // A record that ends early and says so: its fields do not fit.
      const kept = HEADER_BYTES + below(random, Math.max(1, size - HEADER_BYTES));
      view.setUint16(at + 6, kept, littleEndian);
      return withData(bytes, layout, spliced(bytes, at + kept, size - kept, new Uint8Array(0)));
    }
    case 13: {
      const words = Math.max(1, (size - HEADER_BYTES) >> 2);
      const narrow = at + HEADER_BYTES + 4 * below(random, words);
      putWord(bytes, narrow, 4, random, littleEndian);
      return bytes;
    }
    default: {
      // Counts and offsets are the first words more often than not.
      const words = Math.max(1, (size - HEADER_BYTES) >> 3);
      const word = random() < 0.5 ? below(random, Math.min(words, 8)) : below(random, words);
      putWord(bytes, at + HEADER_BYTES + 8 * word, 8, random, littleEndian);
      return bytes;
    }
  }
}

/** `changed` with the size of its records in the header, most of the time. */
function withData(bytes: Uint8Array, { isPipe, data, littleEndian }: Layout, changed: Uint8Array) {
  const size = data.size + changed.length - bytes.length;
  if (!isPipe && changed.length > FILE_HEADER_BYTES && size >= 0) {
    const view = new DataView(changed.buffer, changed.byteOffset, changed.byteLength);
    view.setBigUint64(48, BigInt(size), littleEndian);
  }
  return changed;
}

/** Null where it is no recording, or its header makes no sense. */
function findLayout(bytes: Uint8Array): Layout | null {
  if (bytes.length < PIPE_HEADER_BYTES) return null;
  const magic = String.fromCharCode(...bytes.subarray(0, 8));
  if (magic !== 'PERFILE2' && magic !== '2ELIFREP') return null;
  const littleEndian = magic === 'PERFILE2';
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const u64 = (at: number) => Number(view.getBigUint64(at, littleEndian));
  const isPipe = u64(8) === PIPE_HEADER_BYTES;
  const headerBytes = isPipe ? PIPE_HEADER_BYTES : FILE_HEADER_BYTES;
  if (bytes.length <= headerBytes) return null;
  const regionOf = (offset: number, size: number): Region | null =>
    offset + size <= bytes.length && size > 0 ? { offset, size } : null;
  const rest = { offset: headerBytes, size: bytes.length - headerBytes };
  const data = isPipe ? rest : regionOf(u64(40), u64(48));
  if (data === null) return null;
  const dataEnd = data.offset + data.size;
  return {
    littleEndian,
    isPipe,
    data,
    sections: regionOf(dataEnd, bytes.length - dataEnd) ?? data,
    attrs: (isPipe ? null : regionOf(u64(24), u64(32))) ?? { offset: 0, size: headerBytes },
    records: findRecords(bytes, data, littleEndian),
  };
}

function findRecords(bytes: Uint8Array, data: Region, littleEndian: boolean): number[] {
  const records: number[] = [];
  const end = data.offset + data.size;
  let at = data.offset;
  while (at + HEADER_BYTES <= end && records.length < MOST_RECORDS) {
    const size = sizeAt(bytes, at, littleEndian);
    if (size < HEADER_BYTES || at + size > end) break;
    records.push(at);
    at += size;
  }
  return records;
}

function sizeAt(bytes: Uint8Array, at: number, littleEndian: boolean): number {
  const low = bytes[at + (littleEndian ? 6 : 7)];
  const high = bytes[at + (littleEndian ? 7 : 6)];
  return low + 256 * high;
}

/** Headers and sections, and the records of each kind, whose numbers `number-fields.ts` replaces. */
export type RecordLayout = {
  readonly littleEndian: boolean;
  readonly parts: readonly Region[];
  readonly kinds: readonly { readonly starts: readonly number[]; readonly size: number }[];
};

/** Null as in `findLayout`. Records are of a kind that have one type and size. */
export function recordLayout(bytes: Uint8Array): RecordLayout | null {
  const layout = findLayout(bytes);
  if (layout === null) return null;
  const { littleEndian, isPipe, data, attrs, records } = layout;
  const kinds = new Map<string, { starts: number[]; size: number }>();
  for (const at of records) {
    const size = sizeAt(bytes, at, littleEndian);
    const type = bytes.subarray(at, at + 4).join();
    const kind = kinds.get(`${type} ${size}`);
    if (kind === undefined) kinds.set(`${type} ${size}`, { starts: [at], size });
    else kind.starts.push(at);
  }
  const head = { offset: 8, size: (isPipe ? PIPE_HEADER_BYTES : FILE_HEADER_BYTES) - 8 };
  const parts = isPipe ? [head] : [head, attrs, ...sectionsBehind(bytes, data, littleEndian)];
  return { littleEndian, parts, kinds: [...kinds.values()] };
}

/** The table of sections, each section, and what lies behind them all. */
function sectionsBehind(bytes: Uint8Array, data: Region, littleEndian: boolean): Region[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = data.offset + data.size;
  if (start + 16 > bytes.length) return [];
  const first = Number(view.getBigUint64(start, littleEndian));
  const table = { offset: start, size: first - start };
  if (table.size < 16 || first > bytes.length)
    return [{ offset: start, size: bytes.length - start }];
  const regions: Region[] = [table];
  let end = first;
  for (let at = start; at + 16 <= first; at += 16) {
    const offset = Number(view.getBigUint64(at, littleEndian));
    const size = Number(view.getBigUint64(at + 8, littleEndian));
    if (offset + size > bytes.length) continue;
    regions.push({ offset, size });
    end = Math.max(end, offset + size);
  }
  regions.push({ offset: end, size: bytes.length - end });
  return regions.filter(({ size }) => size > 0);
}
