import { ByteWriter } from '../../base/byte-writer.ts';
import { withEqualSizes } from './attr-sizes.ts';
import type { FeatureSection } from './feature-encoders.ts';
import { FEATURE_FLAGS_SIZE, FILE_HEADER_SIZE, magicOf } from './header.ts';

/** An event of the file to be. */
export type WrittenAttr = {
  /** `encodeAttr` of its attr. */
  readonly attrBytes: Uint8Array;
  /** The kernel's ids of its instances. */
  readonly ids: readonly bigint[] | readonly number[] | BigUint64Array;
};

const IDS_SECTION_SIZE = 16;

/**
 * Everything in front of the records:
 *
 *   header (104) │ ids of each event │ attrs, each with the section of its ids │ records …
 *
 * The data size and the feature bits are 0: the recorder keeps the first current at
 * `DATA_SIZE_OFFSET`, and sets the others at `FEATURE_FLAGS_OFFSET` (header.ts) when the sections
 * of `encodeFeatures` are written.
 */
export function encodePrefix(
  file: { readonly attrs: readonly WrittenAttr[] },
  littleEndian = true,
): { bytes: Uint8Array; dataOffset: number } {
  const attrBytes = file.attrs.map((attr) => attr.attrBytes);
  const attrs = withEqualSizes(attrBytes, littleEndian);
  const attrStride = (attrs[0]?.length ?? 0) + IDS_SECTION_SIZE;
  const idsSize = file.attrs.reduce((sum, { ids }) => sum + 8 * ids.length, 0);
  const attrsOffset = FILE_HEADER_SIZE + idsSize;
  const attrsSize = attrs.length * attrStride;
  const dataOffset = attrsOffset + attrsSize;

  const out = new ByteWriter(littleEndian);
  out.text(magicOf(littleEndian)).u64(FILE_HEADER_SIZE).u64(attrStride);
  out.u64(attrsOffset).u64(attrsSize);
  out.u64(dataOffset).u64(0);
  out.u64(0).u64(0);
  out.zeros(FEATURE_FLAGS_SIZE);
  for (const { ids } of file.attrs) for (const id of ids) out.u64(id);
  let idsOffset = FILE_HEADER_SIZE;
  file.attrs.forEach(({ ids }, index) => {
    out.bytes(attrs[index]);
    out.u64(idsOffset).u64(8 * ids.length);
    idsOffset += 8 * ids.length;
  });
  return { bytes: out.finish(), dataOffset };
}

/**
 * The feature sections behind the records, which end at `dataEnd`: a table with offset and size
 * of each, in the order of their numbers, then the sections. `flags` are the 32 bytes that name
 * them in the header.
 */
export function encodeFeatures(
  dataEnd: number,
  sections: readonly FeatureSection[],
  littleEndian = true,
): { bytes: Uint8Array; flags: Uint8Array } {
  const sorted = [...sections].sort((a, b) => a.feature - b.feature);
  const flags = new Uint8Array(FEATURE_FLAGS_SIZE);
  const out = new ByteWriter(littleEndian);
  let offset = dataEnd + sorted.length * IDS_SECTION_SIZE;
  for (const { feature, bytes } of sorted) {
    // An array of u64: on a big-endian machine its bytes lie the other way round.
    const bit = littleEndian ? feature : feature ^ 56;
    const byte = flags[bit >> 3];
    if (byte & (1 << (bit & 7))) throw new RangeError(`feature ${feature} is given twice`);
    flags[bit >> 3] = byte | (1 << (bit & 7));
    out.u64(offset).u64(bytes.length);
    offset += bytes.length;
  }
  for (const { bytes } of sorted) out.bytes(bytes);
  return { bytes: out.finish(), flags };
}
