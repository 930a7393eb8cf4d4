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

const HEADER_BYTES = 64;
const SECTION_BYTES = 64;
const SEGMENT_BYTES = 56;
const NOBITS = 8;

type Layout = {
  /** Of 64-bit little-endian files, which all seeds are. */
  readonly sectionHeaders: Region;
  readonly segmentHeaders: Region;
  readonly contents: readonly Region[];
};

/**
 * An ELF file with extreme words in its headers, headers that change places or point at the same
 * bytes, or damaged contents of one section or two.
 */
export function mutateElf(seed: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  return mutateFormat(seed, other, random, { findLayout, change, mostChanges: 3, anyBytes: 0.05 });
}

function change(bytes: Uint8Array, layout: Layout, other: Uint8Array, random: Random): Uint8Array {
  const { sectionHeaders, segmentHeaders, contents } = layout;
  const rowOf = ({ offset, size }: Region, rowBytes: number) =>
    offset + rowBytes * below(random, size / rowBytes);
  const kind = below(random, 12);
  switch (kind) {
    case 0:
      return mutateBytes(bytes, other, random, { offset: 0, size: HEADER_BYTES });
    case 1:
    case 2: {
      const at = rowOf(sectionHeaders, SECTION_BYTES);
      const width = random() < 0.3 ? 4 : 8;
      putWord(bytes, at + width * below(random, SECTION_BYTES / width), width, random, true);
      return bytes;
    }
    case 3: {
      // Two sections at the same place, or of each other's size, link or name.
      const from = rowOf(sectionHeaders, SECTION_BYTES);
      const to = rowOf(sectionHeaders, SECTION_BYTES);
      const field = 8 * below(random, SECTION_BYTES / 8);
      bytes.copyWithin(to + field, from + field, from + field + 8);
      return bytes;
    }
    case 4: {
      if (segmentHeaders.size === 0) return bytes;
      const at = rowOf(segmentHeaders, SEGMENT_BYTES);
      putWord(bytes, at + 8 * below(random, SEGMENT_BYTES / 8), 8, random, true);
      return bytes;
    }
    case 5: {
      const from = pick(random, contents);
      const to = pick(random, contents);
      bytes.copyWithin(to.offset, from.offset, from.offset + Math.min(from.size, to.size));
      return bytes;
    }
    case 6: {
      const region = pick(random, contents);
      const foreign = findLayout(other);
      if (foreign === null) return bytes;
      const piece = pick(random, foreign.contents);
      const length = Math.min(region.size, piece.size);
      return spliced(
        bytes,
        region.offset,
        length,
        other.subarray(piece.offset, piece.offset + length),
      );
    }
    default:
      return damaged(bytes, pick(random, contents), random);
  }
}

/** Bytes and words of one section changed in place: everything else stays where it is. */
function damaged(bytes: Uint8Array, region: Region, random: Random): Uint8Array {
  const changes = 1 + below(random, 8);
  for (let i = 0; i < changes; i++) {
    const at = region.offset + below(random, region.size);
    const kind = below(random, 5);
    if (kind === 0) putWord(bytes, at, pick(random, [2, 4, 8] as const), random, true);
    else if (kind === 1) putReference(bytes, at, region, random);
    else if (kind === 2) bytes[at] = pick(random, [0, 1, 0x7f, 0x80, 0xff]);
    else if (kind === 3) bytes[at] = below(random, 256);
    else bytes.fill(pick(random, [0x80, 0xff]), at, Math.min(at + 12, region.offset + region.size));
  }
  return bytes;
}

/** An offset within the section, as references of DWARF are: to itself, backwards, to an end. */
function putReference(bytes: Uint8Array, at: number, region: Region, random: Random): void {
  if (at + 4 > bytes.length) return;
  const own = at - region.offset;
  const value = pick(random, [own, below(random, region.size), region.size - 1, 0, 11, own - 1]);
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(at, Math.max(0, value), true);
}

/** Null where it is no whole 64-bit little-endian ELF file. */
function findLayout(bytes: Uint8Array): Layout | null {
  const isElf64 =
    bytes.length > HEADER_BYTES && bytes[1] === 0x45 && bytes[4] === 2 && bytes[5] === 1;
  if (!isElf64) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const u64 = (at: number) => Number(view.getBigUint64(at, true));
  const segments = { offset: u64(32), size: view.getUint16(56, true) * SEGMENT_BYTES };
  const sections = { offset: u64(40), size: view.getUint16(60, true) * SECTION_BYTES };
  const fits = ({ offset, size }: Region) => offset + size <= bytes.length;
  if (!fits(sections) || sections.size === 0 || !fits(segments)) return null;
  const contents: Region[] = [];
  for (let at = sections.offset; at < sections.offset + sections.size; at += SECTION_BYTES) {
    const region = { offset: u64(at + 24), size: u64(at + 32) };
    const isThere = view.getUint32(at + 4, true) !== NOBITS && region.size > 0 && fits(region);
    if (isThere) contents.push(region);
  }
  if (contents.length === 0) return null;
  return { sectionHeaders: sections, segmentHeaders: segments, contents };
}
