import { PERF_RECORD_MISC } from './constants.ts';
import type { RecordView } from './record-view.ts';

/** Offsets in `struct { u8 build_id_size; u8 __reserved_1; u16 __reserved_2; u8 build_id[20]; }`. */
const BUILD_ID_AT = 40;
const MOST_BYTES = 20;
/** Lengths of MD5 and SHA-1, which are the usual ones; perf has left something behind the first. */
const USUAL_BYTES: readonly number[] = [16, 20];

/**
 * Whether a MMAP2 has a build ID in place of device and inode. The mark of it, bit
 * `PERF_RECORD_MISC_MMAP_BUILD_ID`, is not enough: the kernel sets it in one header that it writes
 * to all sessions, so that those without `build_id` have it behind one with (seen on 6.18).
 *
 *   fe 00 00 00  00 00 00 00  5e fb 03 00 …   major 254, minor 0, inode: size 254 can't be
 *   08 00 00 00  01 00 00 00  5e fb 03 00 …   major 8, minor 1, inode, generation: no zeros behind 8
 *
 * A build ID has a size, zeros as reserved bytes, and zeros behind it. False too where it would not
 * fit before `end`.
 */
export function hasMmapBuildId(
  record: Pick<RecordView, 'view' | 'offset' | 'end' | 'misc'>,
  end = record.end,
): boolean {
  const { view, misc } = record;
  const at = record.offset + BUILD_ID_AT;
  if ((misc & PERF_RECORD_MISC.MMAP_BUILD_ID) === 0 || at + 4 + MOST_BYTES > end) return false;
  const size = view.getUint8(at);
  if (size === 0 || size > MOST_BYTES) return false;
  for (let i = 1; i < 4; i++) if (view.getUint8(at + i) !== 0) return false;
  if (USUAL_BYTES.includes(size)) return true;
  for (let i = size; i < MOST_BYTES; i++) if (view.getUint8(at + 4 + i) !== 0) return false;
  return true;
}
