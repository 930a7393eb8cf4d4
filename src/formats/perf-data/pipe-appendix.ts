import { ByteCursor } from '../../base/byte-cursor.ts';
import { ByteWriter } from '../../base/byte-writer.ts';
import { PERF_RECORD } from '../../kernel/perf-event/constants.ts';
import { encodeAppendix, type WrittenAttachment } from './appendix.ts';
import { writeString } from './feature-encoders.ts';
import { FEATURE } from './features.ts';

const MAGIC = 'PERFTSPA';
/** Bytes of the appendix in one record, whose size is a u16. */
const PART_BYTES = 0xfc00;

/**
 * The appendix of a pipe, cut into records at its end. perf refuses types of records that it does not
 * know, and takes a HEADER_FEATURE with the recorder's version any number of times: it reads the
 * string and nothing behind it.
 *
 *   { header; u64 feature = VERSION; u32 length; char version[length];
 *     char magic[8]; u32 size; u8 part[size]; pad to 8 }                      HEADER_FEATURE
 */
export function encodePipeAppendix(
  attachments: readonly WrittenAttachment[],
  version: string,
  littleEndian = true,
): Uint8Array[] {
  const appendix = Buffer.concat(encodeAppendix(attachments));
  const records: Uint8Array[] = [];
  for (let at = 0; at < appendix.length; at += PART_BYTES) {
    const part = appendix.subarray(at, at + PART_BYTES);
    const out = new ByteWriter(littleEndian).u32(PERF_RECORD.HEADER_FEATURE).u16(0).u16(0);
    writeString(out.u64(FEATURE.VERSION), version);
    out.text(MAGIC).u32(part.length).bytes(part).align(8);
    out.patchU16(6, out.length);
    records.push(out.finish());
  }
  return records;
}

/** Offset of the part in the `payload` of a VERSION feature; null if that is the version only. */
export function findAppendixPart(
  payload: Uint8Array,
  littleEndian: boolean,
): { readonly offset: number; readonly size: number } | null {
  if (payload.length < 4) return null;
  const cursor = new ByteCursor(payload, littleEndian);
  const behind = 4 + cursor.u32();
  if (behind + MAGIC.length + 4 > payload.length) return null;
  cursor.bytes(behind - 4);
  if (cursor.text(MAGIC.length) !== MAGIC) return null;
  const size = cursor.u32();
  return size <= cursor.left ? { offset: cursor.position, size } : null;
}
