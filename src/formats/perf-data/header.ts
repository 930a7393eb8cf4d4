import { PerfDataError } from '../../base/errors.ts';
import { readU64 } from '../../base/u64.ts';
import { ATTR_SIZE_VER0, ATTR_SIZES } from '../../kernel/perf-event/attr.ts';
import { describeForeignFile } from './foreign-file.ts';

/** A range of bytes of the file. */
export type FileSection = { readonly offset: number; readonly size: number };

/** Bytes of a file's header, and of a pipe's. */
export const FILE_HEADER_SIZE = 104;
export const PIPE_HEADER_SIZE = 16;
/** A file header of perf before 2.6.34, without the feature bits. */
const HEADER_SIZE_WITHOUT_FEATURES = 72;

/** The first 8 bytes, by which readers know the byte order. */
export function magicOf(littleEndian: boolean): string {
  return littleEndian ? 'PERFILE2' : '2ELIFREP';
}

/** Places in the file header that a recorder fills in as it goes. */
export const DATA_SIZE_OFFSET = 48;
export const FEATURE_FLAGS_OFFSET = 72;
export const FEATURE_FLAGS_SIZE = 32;

/** `struct perf_file_section ids`, behind every attr. */
const SECTION_SIZE = 16;

export type FileHeader = {
  readonly kind: 'file';
  readonly littleEndian: boolean;
  /** 1 for the magic PERFFILE, 2 for PERFILE2. */
  readonly version: 1 | 2;
  /** Bytes from one attr to the next: the attr and the section of its ids. */
  readonly attrStride: number;
  readonly attrs: FileSection;
  readonly data: FileSection;
  /** Numbers of the feature sections, in the order in which they follow the data. */
  readonly features: readonly number[];
};

export type PipeHeader = {
  readonly kind: 'pipe';
  readonly littleEndian: boolean;
  /** Offset of the first record. */
  readonly dataOffset: number;
};

/**
 * Reads the header at the start of `bytes` (at least 104 of them, or all there are).
 *
 *   struct perf_file_header {              struct perf_pipe_file_header {
 *     u64 magic;     // "PERFILE2"           u64 magic;
 *     u64 size;      // 104                  u64 size;      // 16
 *     u64 attr_size;                       };
 *     struct perf_file_section attrs;
 *     struct perf_file_section data;
 *     struct perf_file_section event_types;   // unused since Linux 3.12
 *     DECLARE_BITMAP(adds_features, 256);
 *   };
 *   struct perf_file_section { u64 offset; u64 size; };
 *
 * tools/perf/Documentation/perf.data-file-format.txt
 */
export function parseHeader(bytes: Uint8Array): FileHeader | PipeHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = bytes.length < 8 ? '' : String.fromCharCode(...bytes.subarray(0, 8));
  const isVersion1 = magic === 'PERFFILE';
  if (!isVersion1 && magic !== 'PERFILE2' && magic !== '2ELIFREP') {
    throw new PerfDataError('not-perf-data', `not a perf.data file: ${describeForeignFile(bytes)}`);
  }
  if (bytes.length < PIPE_HEADER_SIZE) throw cutHeader(bytes.length, PIPE_HEADER_SIZE);
  const littleEndian = isVersion1 ? isLittleEndianVersion1(view) : magic === 'PERFILE2';
  const size = readU64(view, 8, littleEndian);
  if (size === PIPE_HEADER_SIZE) return { kind: 'pipe', littleEndian, dataOffset: size };
  if (size < HEADER_SIZE_WITHOUT_FEATURES) {
    throw new PerfDataError('bad-header', `a file header of ${size} bytes is too small`, 8);
  }
  const needed = Math.min(size, FILE_HEADER_SIZE);
  if (bytes.length < needed) throw cutHeader(bytes.length, needed);
  const attrStride = readU64(view, 16, littleEndian);
  const section = (at: number) => ({
    offset: readU64(view, at, littleEndian),
    size: readU64(view, at + 8, littleEndian),
  });
  const attrs = section(24);
  if (attrs.size > 0 && attrStride < ATTR_SIZE_VER0 + SECTION_SIZE) {
    const least = ATTR_SIZE_VER0 + SECTION_SIZE;
    throw new PerfDataError(
      'bad-header',
      `attr_size is ${attrStride}, at least ${least} expected`,
      16,
    );
  }
  return {
    kind: 'file',
    littleEndian,
    version: isVersion1 ? 1 : 2,
    attrStride,
    attrs,
    data: section(40),
    features:
      size >= FILE_HEADER_SIZE ? parseFeatureBits(view, FEATURE_FLAGS_OFFSET, littleEndian) : [],
  };
}

/** PERFFILE reads the same either way; the attr size is only plausible in one of them. */
function isLittleEndianVersion1(view: DataView): boolean {
  if (view.byteLength < 24) throw cutHeader(view.byteLength, FILE_HEADER_SIZE);
  const plausible: readonly number[] = ATTR_SIZES.map((size) => size + SECTION_SIZE);
  return !plausible.includes(readU64(view, 16, false));
}

const HOSTNAME_FEATURE = 3;

/**
 * The bitmap is an array of `unsigned long`, so on a big-endian machine its layout tells 32 from
 * 64 bits: with the wrong word size the bits land elsewhere. As perf does, the size is taken with
 * which HOSTNAME is set, which perf always writes.
 */
function parseFeatureBits(view: DataView, offset: number, littleEndian: boolean): number[] {
  if (littleEndian) return bitsOf(view, offset, (n) => n);
  const in64 = bitsOf(view, offset, (n) => n ^ 56);
  const in32 = bitsOf(view, offset, (n) => n ^ 24);
  return !in64.includes(HOSTNAME_FEATURE) && in32.includes(HOSTNAME_FEATURE) ? in32 : in64;
}

/** `bitInFile` maps bit n to its place when bytes are numbered upwards, bits from the low end. */
function bitsOf(view: DataView, offset: number, bitInFile: (n: number) => number): number[] {
  const bits: number[] = [];
  for (let n = 0; n < FEATURE_FLAGS_SIZE * 8; n++) {
    const at = bitInFile(n);
    if ((view.getUint8(offset + (at >> 3)) >> (at & 7)) & 1) bits.push(n);
  }
  return bits;
}

function cutHeader(length: number, needed: number): PerfDataError {
  return new PerfDataError(
    'truncated-header',
    `the file ends inside its header: ${length} bytes of ${needed}`,
    length,
  );
}
