import { ByteCursor } from '../../base/byte-cursor.ts';
import { PerfDataError } from '../../base/errors.ts';
import { toHex } from '../../base/hex.ts';
import { PERF_RECORD_MISC } from '../../kernel/perf-event/constants.ts';

/** The build ID of a file that was hit. */
export type BuildIdEntry = {
  /** −1, or the guest machine's. */
  readonly pid: number;
  /** `PERF_RECORD_MISC` CPU mode: kernel or user. */
  readonly cpuMode: number;
  /** Lower-case hex. */
  readonly buildId: string;
  /** Path, `[kernel.kallsyms]`, `[vdso]`. */
  readonly filename: string;
};

const HEADER_SIZE = 8;
const PID_SIZE = 4;
const BUILD_ID_FIELD_SIZE = 24;
const LARGEST_BUILD_ID = 20;

/** A list of build-ID events; also the payload of HEADER_BUILD_ID records, one by one. */
export function parseBuildIds(cursor: ByteCursor): BuildIdEntry[] {
  const bytes = cursor.bytes(cursor.left);
  const list = parseEntries(new ByteCursor(bytes, cursor.littleEndian), PID_SIZE);
  // For three releases in 2010 the pid was missing, which shows in the first name.
  if (list.some((entry) => entry.filename.startsWith('nel.kallsyms]'))) {
    return parseEntries(new ByteCursor(bytes, cursor.littleEndian), 0);
  }
  return list;
}

/**
 *   struct build_id_event {
 *     struct perf_event_header header;   // size: the whole event; misc: CPU mode, BUILD_ID_SIZE
 *     pid_t pid;
 *     u8 build_id[24];                   // 20 bytes; [20]: their number with …BUILD_ID_SIZE
 *     char filename[];
 *   };
 */
function parseEntries(cursor: ByteCursor, pidSize: number): BuildIdEntry[] {
  const entries: BuildIdEntry[] = [];
  while (cursor.left > 0) {
    cursor.skip(4);
    const misc = cursor.u16();
    const size = cursor.u16();
    const nameLength = size - HEADER_SIZE - pidSize - BUILD_ID_FIELD_SIZE;
    if (nameLength < 0) {
      throw new PerfDataError('bad-section', `a build-ID event of ${size} bytes is too small`);
    }
    const pid = pidSize === 0 ? -1 : cursor.i32();
    const field = cursor.bytes(BUILD_ID_FIELD_SIZE);
    const announced = field[LARGEST_BUILD_ID];
    // Without the bit the size is unknown: a short id (an MD5 has 16 bytes) is padded with zeros.
    const length =
      (misc & PERF_RECORD_MISC.BUILD_ID_SIZE) !== 0
        ? Math.min(announced, LARGEST_BUILD_ID)
        : LARGEST_BUILD_ID;
    entries.push({
      pid,
      cpuMode: misc & PERF_RECORD_MISC.CPUMODE_MASK,
      buildId: toHex(field.subarray(0, length)),
      filename: cursor.text(nameLength),
    });
  }
  return entries;
}
