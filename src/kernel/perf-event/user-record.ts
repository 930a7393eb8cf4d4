import { toHex } from '../../base/hex.ts';
import { PERF_RECORD, PERF_RECORD_MISC } from './constants.ts';
import { RecordBody } from './record-body.ts';
import { RECORD_HEADER_SIZE, type RecordView } from './record-view.ts';

/** Fields of a record that perf wrote, by name; what is longer than a line is counted only. */
export type UserRecordFields = Readonly<
  Record<string, number | string | readonly (number | string)[]>
>;

const STAT_CONFIG_TERMS = ['aggrMode', 'interval', 'scale', 'aggrLevel'];
const EVENT_UPDATES = ['unit', 'scale', 'name', 'cpus'];

/** `PERF_AUXTRACE_*`: the hardware tracers. */
const AUXTRACE_TYPES = [
  ...['unknown', 'intel_pt', 'intel_bts', 'cs_etm', 'arm_spe', 's390_cpumsf', 'hisi_ptt'],
  'vpa_dtl',
];

/**
 * The fields of a record of type ≥ 64: the structs of tools/lib/perf/include/perf/event.h. Null if it has
 * no fields (FINISHED_ROUND, FINISHED_INIT), no name here, or is too short. Long lists come as their
 * length. Cold: a recording has few of them, or nobody looks.
 */
export function decodeUserRecord(
  record: RecordView,
  littleEndian: boolean,
): UserRecordFields | null {
  const { view, offset, end, misc } = record;
  const decode = DECODERS[record.type];
  if (decode === undefined || record.size < RECORD_HEADER_SIZE) return null;
  return decode(new RecordBody(view, offset + RECORD_HEADER_SIZE, end, littleEndian), misc);
}

type Decoder = (body: RecordBody, misc: number) => UserRecordFields | null;

const DECODERS: Readonly<Partial<Record<number, Decoder>>> = {
  // struct { header; struct perf_event_attr attr; u64 ids[]; }
  [PERF_RECORD.HEADER_ATTR]: (body) => {
    if (!body.has(8)) return null;
    const attrSize = body.u32(4);
    return { attrSize, ids: Math.max(0, Math.floor((body.length - attrSize) / 8)) };
  },
  // struct { header; u64 event_id; char name[64]; }; perf before 3.4
  [PERF_RECORD.HEADER_EVENT_TYPE]: (body) =>
    body.has(8) ? { eventId: body.u64(0), name: body.text(8, body.length - 8) } : null,
  // struct { header; u32 size; }; the data follow the record
  [PERF_RECORD.HEADER_TRACING_DATA]: (body) => (body.has(4) ? { dataSize: body.u32(0) } : null),
  // struct { header; s32 pid; u8 build_id[24]; char filename[]; }
  [PERF_RECORD.HEADER_BUILD_ID]: (body, misc) => {
    if (!body.has(28)) return null;
    const length = misc & PERF_RECORD_MISC.BUILD_ID_SIZE ? Math.min(body.u8(24), 20) : 20;
    return {
      pid: body.i32(0),
      buildId: toHex(body.bytes(4, length)),
      filename: body.text(28, body.length - 28),
    };
  },
  // struct { header; u64 nr; struct { u64 id, idx, cpu, tid; } entries[nr]; }
  [PERF_RECORD.ID_INDEX]: (body) => (body.has(8) ? { entries: body.u64(0) } : null),
  // struct { header; u32 type; u32 reserved; u64 priv[]; }
  [PERF_RECORD.AUXTRACE_INFO]: (body) => {
    if (!body.has(4)) return null;
    const number = body.u32(0);
    return { tracer: AUXTRACE_TYPES[number] ?? `type ${number}` };
  },
  // struct { header; u64 size, offset, reference; u32 idx, tid, cpu, reserved; }; data follow
  [PERF_RECORD.AUXTRACE]: (body) =>
    body.has(36)
      ? {
          dataSize: body.u64(0),
          dataOffset: body.u64(8),
          index: body.i32(24),
          tid: body.i32(28),
          cpu: body.i32(32),
        }
      : null,
  // struct { header; u32 type, code, cpu, pid, tid, fmt; u64 ip, time; char msg[64]; … }
  [PERF_RECORD.AUXTRACE_ERROR]: decodeAuxtraceError,
  // struct { header; u64 nr; struct { u64 pid; char comm[16]; } entries[nr]; }
  [PERF_RECORD.THREAD_MAP]: (body) => {
    const count = entryCount(body, 24);
    if (count < 0) return null;
    const at = Array.from({ length: count }, (_, i) => 8 + 24 * i);
    return { pids: at.map((i) => body.address(i)), comms: at.map((i) => body.text(i + 8, 16)) };
  },
  [PERF_RECORD.CPU_MAP]: (body) => {
    const cpus = decodeCpuMap(body, 0);
    return cpus === null ? null : { cpus };
  },
  // struct { header; u64 nr; struct { u64 tag, val; } data[nr]; }
  [PERF_RECORD.STAT_CONFIG]: (body) => {
    const count = entryCount(body, 16);
    if (count < 0) return null;
    const fields: Record<string, number> = {};
    for (let i = 0; i < count; i++) {
      const tag = body.u64(8 + 16 * i);
      fields[STAT_CONFIG_TERMS[tag] ?? `term${tag}`] = body.u64(16 + 16 * i);
    }
    return fields;
  },
  // struct { header; u64 id; u32 cpu, thread; u64 val, ena, run; }
  [PERF_RECORD.STAT]: (body) =>
    body.has(40)
      ? {
          id: body.u64(0),
          cpu: body.i32(8),
          thread: body.i32(12),
          value: body.u64(16),
          timeEnabled: body.u64(24),
          timeRunning: body.u64(32),
        }
      : null,
  // struct { header; u64 type, time; }
  [PERF_RECORD.STAT_ROUND]: (body) =>
    body.has(16) ? { round: body.u64(0) === 0 ? 'interval' : 'final', time: body.u64(8) } : null,
  [PERF_RECORD.EVENT_UPDATE]: decodeEventUpdate,
  // struct { header; u64 shift, mult, zero; u64 cycles, mask; u8 cap_zero, cap_short; }; the
  // second part since 5.10
  [PERF_RECORD.TIME_CONV]: (body) =>
    body.has(24)
      ? {
          shift: body.u64(0),
          mult: body.u64(8),
          zero: body.hex64(16),
          ...(body.has(40) && { cycles: body.hex64(24), mask: body.hex64(32) }),
        }
      : null,
  // struct { header; u64 feat_id; char data[]; }
  [PERF_RECORD.HEADER_FEATURE]: (body) =>
    body.has(8) ? { feature: body.u64(0), dataSize: body.length - 8 } : null,
  [PERF_RECORD.COMPRESSED]: (body) => ({ dataSize: body.length }),
  // struct { header; u64 data_size; char data[]; }
  [PERF_RECORD.COMPRESSED2]: (body) => (body.has(8) ? { dataSize: body.u64(0) } : null),
  // struct { header; char prog_name[512]; u64 nr; struct { char key[64], value[256]; } [nr]; }
  [PERF_RECORD.BPF_METADATA]: (body) =>
    body.has(520) ? { program: body.text(0, 512), entries: body.u64(512) } : null,
  // struct { header; u64 timestamp; u32 cpu; u16 version, pad; … }
  [PERF_RECORD.SCHEDSTAT_CPU]: (body) =>
    body.has(14) ? { timestamp: body.u64(0), cpu: body.i32(8), version: body.u16(12) } : null,
  // struct { header; u64 timestamp; u32 cpu; u16 version, domain; … }
  [PERF_RECORD.SCHEDSTAT_DOMAIN]: (body) =>
    body.has(16)
      ? {
          timestamp: body.u64(0),
          cpu: body.i32(8),
          version: body.u16(12),
          domain: body.u16(14),
        }
      : null,
};

const AUXTRACE_ERROR_MESSAGE = 64;

function decodeAuxtraceError(body: RecordBody): UserRecordFields | null {
  if (!body.has(32)) return null;
  const hasTime = body.u32(20) >= 1;
  const messageAt = hasTime ? 40 : 32;
  const left = Math.min(AUXTRACE_ERROR_MESSAGE, Math.max(0, body.length - messageAt));
  return {
    code: body.u32(4),
    cpu: body.i32(8),
    pid: body.i32(12),
    tid: body.i32(16),
    ip: body.hex64(24),
    ...(hasTime && body.has(40) && { time: body.u64(32) }),
    message: body.text(messageAt, left),
  };
}

/** struct { header; u64 type; u64 id; union { char unit[], name[]; double scale; cpu_map cpus; }; } */
function decodeEventUpdate(body: RecordBody): UserRecordFields | null {
  if (!body.has(16)) return null;
  const id = body.u64(8);
  const kind = EVENT_UPDATES[body.u64(0)];
  switch (kind) {
    case 'unit':
    case 'name':
      return { id, [kind]: body.text(16, body.length - 16) };
    case 'scale':
      return body.has(24) ? { id, scale: body.f64(16) } : null;
    case 'cpus': {
      const cpus = decodeCpuMap(body, 16);
      return cpus === null ? null : { id, cpus };
    }
    default:
      return { id };
  }
}

/** The u64 count at the start, of entries that follow it; −1 if they do not fit. */
function entryCount(body: RecordBody, entryBytes: number): number {
  if (!body.has(8)) return -1;
  const count = body.u64(0);
  return body.has(8 + count * entryBytes) ? count : -1;
}

const CPU_MAP_LIST = 0;
const CPU_MAP_MASK = 1;
const CPU_MAP_RANGE = 2;

/** More than any machine has, and few enough to print. */
const MOST_CPUS = 65536;

/**
 * The CPUs of a map that begins at `at`, −1 standing for any; null if it is cut or of no known form.
 * Packed, so nothing is aligned.
 *
 *   struct { u16 type;
 *     union {
 *       struct { u16 nr; u16 cpu[nr]; };                        // list
 *       struct { u16 nr, long_size; u32 mask[nr]; };            // mask, long_size 4
 *       struct { u16 nr, long_size; u8 pad[4]; u64 mask[nr]; }; // mask, long_size 8
 *       struct { u8 any_cpu, pad; u16 start, end; };            // range
 *     };
 *   };
 */
function decodeCpuMap(body: RecordBody, at: number): number[] | null {
  if (!body.has(at + 4)) return null;
  const type = body.u16(at);
  const count = body.u16(at + 2);
  if (type === CPU_MAP_LIST) {
    if (!body.has(at + 4 + 2 * count)) return null;
    return Array.from({ length: count }, (_, i) => body.i16(at + 4 + 2 * i));
  }
  if (type === CPU_MAP_MASK) {
    if (!body.has(at + 6)) return null;
    const wordBytes = body.u16(at + 4);
    if (wordBytes !== 4 && wordBytes !== 8) return null;
    const wordsAt = at + (wordBytes === 8 ? 10 : 6);
    if (!body.has(wordsAt + wordBytes * count)) return null;
    return cpusOfMask(body, wordsAt, count, wordBytes);
  }
  if (type === CPU_MAP_RANGE) {
    if (!body.has(at + 8)) return null;
    const [first, last] = [body.u16(at + 4), body.u16(at + 6)];
    const range = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
    return body.u8(at + 2) ? [-1, ...range] : range;
  }
  return null;
}

function cpusOfMask(body: RecordBody, at: number, count: number, wordBytes: number): number[] {
  const cpus: number[] = [];
  const bits = Math.min(8 * wordBytes * count, MOST_CPUS);
  for (let cpu = 0; cpu < bits; cpu++) {
    const wordAt = at + wordBytes * Math.floor(cpu / (8 * wordBytes));
    const word = wordBytes === 8 ? body.big64(wordAt) : BigInt(body.u32(wordAt));
    if ((word >> BigInt(cpu % (8 * wordBytes))) & 1n) cpus.push(cpu);
  }
  return cpus;
}
