import { ByteCursor } from '../../base/byte-cursor.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { PerfDataError } from '../../base/errors.ts';
import { ATTR_SIZE_VER0, type EventAttr, parseAttr } from '../../kernel/perf-event/attr.ts';
import { type BuildIdEntry, parseBuildIds } from './build-id-section.ts';
import { FEATURE, type FeatureSections, featureName } from './features.ts';
import {
  type CacheLevel,
  type HybridPmu,
  type MemoryTopology,
  type NumaNode,
  type PmuCapabilities,
  parseCaches,
  parseCpuPmuCapabilities,
  parseHybridTopology,
  parseMemoryTopology,
  parseNumaTopology,
  parsePmuCapabilities,
  parseText,
} from './machine-sections.ts';

/** One event as perf describes it: `cycles:u`, its attr and the ids of its instances. */
export type EventDescription = {
  readonly attr: EventAttr;
  readonly name: string;
  readonly ids: readonly number[];
};

/** Which CPUs share a core or a package; lists as perf writes them: `0-3,8`. */
export type CpuTopology = {
  readonly coreSiblings: readonly string[];
  readonly threadSiblings: readonly string[];
  /** Per CPU; empty in old files. */
  readonly coreIds: readonly number[];
  readonly socketIds: readonly number[];
};

/** Events counted together: `memberCount` of them, from event `leaderIndex` on. */
export type GroupDescription = {
  readonly name: string;
  readonly leaderIndex: number;
  readonly memberCount: number;
};

/** One instant on two clocks, nanoseconds: the wall clock and the clock of the records. */
export type ClockData = {
  readonly clockId: number;
  readonly wallClockNs: bigint;
  readonly clockNs: bigint;
};

/** The header's facts about the machine and the recording; null: not in the file, or broken. */
export type Features = {
  readonly hostname: string | null;
  readonly osRelease: string | null;
  /** Version of the tool that recorded. */
  readonly version: string | null;
  /** `uname -m`. */
  readonly arch: string | null;
  readonly cpusAvailable: number | null;
  readonly cpusOnline: number | null;
  readonly cpuDescription: string | null;
  readonly cpuId: string | null;
  readonly totalMemoryKb: number | null;
  readonly commandLine: readonly string[] | null;
  readonly eventDescriptions: readonly EventDescription[] | null;
  readonly buildIds: readonly BuildIdEntry[] | null;
  readonly cpuTopology: CpuTopology | null;
  readonly groups: readonly GroupDescription[] | null;
  readonly pmuMappings: readonly { readonly type: number; readonly name: string }[] | null;
  /** Raw times of the first and the last sample. */
  readonly sampleTime: { readonly first: bigint; readonly last: bigint } | null;
  /** Resolution of the records' clock, nanoseconds. */
  readonly clockResolutionNs: number | null;
  readonly clockData: ClockData | null;
  readonly compression: Compression | null;
  /** Version of the directory's layout: the recording is one file of it, see `OpenOptions`. */
  readonly directoryVersion: number | null;
  readonly numaNodes: readonly NumaNode[] | null;
  readonly caches: readonly CacheLevel[] | null;
  readonly memoryTopology: MemoryTopology | null;
  /** Content of CPU_PMU_CAPS (the PMU `cpu`) and PMU_CAPS (all others, since Linux 5.19). */
  readonly pmuCapabilities: readonly PmuCapabilities[] | null;
  readonly hybridPmus: readonly HybridPmu[] | null;
};

const NO_COMPRESSION = 0;
/** PERF_COMP_ZSTD */
export const ZSTD = 1;

/** How COMPRESSED records were made; `type` is always `ZSTD` so far. */
export type Compression = {
  readonly version: number;
  readonly type: number;
  readonly level: number;
  readonly ratio: number;
  /** Bytes of a ring: the most that one record inflates to. */
  readonly mmapLength: number;
};

/** Parses every section that has a place in `Features`; a broken one is counted and left null. */
export function parseFeatures(
  sections: FeatureSections,
  littleEndian: boolean,
  diagnostics: Diagnostics,
): Features {
  const parse = <T>(feature: number, parser: (cursor: ByteCursor) => T): T | null => {
    const bytes = sections.bytes(feature);
    if (bytes === null) return null;
    try {
      return parser(new ByteCursor(bytes, littleEndian));
    } catch (error) {
      if (!(error instanceof PerfDataError)) throw error;
      diagnostics.count(
        { code: 'header-section-unreadable', subject: featureName(feature) },
        `${error.message}; ${bytes.length} bytes at 0x${sections.section(feature)?.offset.toString(16)}`,
      );
      return null;
    }
  };
  const cpuPmu = parse(FEATURE.CPU_PMU_CAPS, parseCpuPmuCapabilities);
  const otherPmus = parse(FEATURE.PMU_CAPS, parsePmuCapabilities);
  const cpuCounts = parse(FEATURE.NRCPUS, parseCpuCounts);
  return {
    hostname: parse(FEATURE.HOSTNAME, parseText),
    osRelease: parse(FEATURE.OSRELEASE, parseText),
    version: parse(FEATURE.VERSION, parseText),
    arch: parse(FEATURE.ARCH, parseText),
    cpusAvailable: cpuCounts?.available ?? null,
    cpusOnline: cpuCounts?.online ?? null,
    cpuDescription: parse(FEATURE.CPUDESC, parseText),
    cpuId: parse(FEATURE.CPUID, parseText),
    totalMemoryKb: parse(FEATURE.TOTAL_MEM, (cursor) => cursor.u64()),
    commandLine: parse(FEATURE.CMDLINE, parseTextList),
    eventDescriptions: parse(FEATURE.EVENT_DESC, parseEventDescriptions),
    buildIds: parse(FEATURE.BUILD_ID, parseBuildIds),
    cpuTopology: parse(FEATURE.CPU_TOPOLOGY, (cursor) =>
      parseCpuTopology(cursor, cpuCounts?.available ?? 0),
    ),
    groups: parse(FEATURE.GROUP_DESC, parseGroups),
    pmuMappings: parse(FEATURE.PMU_MAPPINGS, parsePmuMappings),
    // struct { u64 first; u64 last; }
    sampleTime: parse(FEATURE.SAMPLE_TIME, (cursor) => ({
      first: cursor.bigU64(),
      last: cursor.bigU64(),
    })),
    clockResolutionNs: parse(FEATURE.CLOCKID, (cursor) => cursor.u64()),
    clockData: parse(FEATURE.CLOCK_DATA, parseClockData),
    compression: parse(FEATURE.COMPRESSED, parseCompression),
    // struct { u64 version; }
    directoryVersion: parse(FEATURE.DIR_FORMAT, (cursor) => cursor.u64()),
    numaNodes: parse(FEATURE.NUMA_TOPOLOGY, parseNumaTopology),
    caches: parse(FEATURE.CACHE, parseCaches),
    memoryTopology: parse(FEATURE.MEM_TOPOLOGY, parseMemoryTopology),
    pmuCapabilities:
      cpuPmu === null && otherPmus === null ? null : [...(cpuPmu ?? []), ...(otherPmus ?? [])],
    hybridPmus: parse(FEATURE.HYBRID_TOPOLOGY, parseHybridTopology),
  };
}

/** struct perf_header_string_list { u32 nr; struct perf_header_string strings[nr]; } */
function parseTextList(cursor: ByteCursor): string[] {
  const count = cursor.count(4);
  const list: string[] = [];
  for (let i = 0; i < count; i++) list.push(parseText(cursor));
  return list;
}

/** struct nr_cpus { u32 nr_cpus_available; u32 nr_cpus_online; } */
function parseCpuCounts(cursor: ByteCursor): { available: number; online: number } {
  return { available: cursor.u32(), online: cursor.u32() };
}

/**
 *   struct {
 *     u32 nr;
 *     u32 attr_size;
 *     struct {
 *       struct perf_event_attr attr;     // attr_size bytes
 *       u32 nr_ids;
 *       struct perf_header_string event_string;
 *       u64 ids[nr_ids];
 *     } events[nr];
 *   };
 */
function parseEventDescriptions(cursor: ByteCursor): EventDescription[] {
  const count = cursor.u32();
  const attrSize = cursor.u32();
  if (attrSize < ATTR_SIZE_VER0) {
    throw new PerfDataError('bad-section', `attr_size is ${attrSize}, at least 64 expected`);
  }
  if (count * (attrSize + 8) > cursor.left) {
    throw new PerfDataError('short', `${count} events announced, ${cursor.left} bytes left`);
  }
  const events: EventDescription[] = [];
  for (let i = 0; i < count; i++) {
    const attrBytes = cursor.bytes(attrSize);
    const view = new DataView(attrBytes.buffer, attrBytes.byteOffset, attrBytes.byteLength);
    const attr = parseAttr(view, attrSize, cursor.littleEndian);
    const idCount = cursor.u32();
    const name = parseText(cursor);
    if (idCount * 8 > cursor.left) {
      throw new PerfDataError('short', `${idCount} ids announced, ${cursor.left} bytes left`);
    }
    const ids: number[] = [];
    for (let j = 0; j < idCount; j++) ids.push(cursor.u64());
    events.push({ attr, name, ids });
  }
  return events;
}

/**
 *   struct {
 *     struct perf_header_string_list cores;
 *     struct perf_header_string_list threads;
 *     struct { u32 core_id; u32 socket_id; } cpus[nr_cpus_available];   // since Linux 3.19
 *     …                                                                  // dies, since 5.2
 *   };
 */
function parseCpuTopology(cursor: ByteCursor, cpus: number): CpuTopology {
  const coreSiblings = parseTextList(cursor);
  const threadSiblings = parseTextList(cursor);
  const coreIds: number[] = [];
  const socketIds: number[] = [];
  if (cpus * 8 <= cursor.left) {
    for (let i = 0; i < cpus; i++) {
      coreIds.push(cursor.i32());
      socketIds.push(cursor.i32());
    }
  }
  return { coreSiblings, threadSiblings, coreIds, socketIds };
}

/** struct { u32 nr; struct { struct perf_header_string name; u32 leader_idx, nr_members; } [nr]; } */
function parseGroups(cursor: ByteCursor): GroupDescription[] {
  const count = cursor.count(12);
  const groups: GroupDescription[] = [];
  for (let i = 0; i < count; i++) {
    groups.push({
      name: parseText(cursor),
      leaderIndex: cursor.u32(),
      memberCount: cursor.u32(),
    });
  }
  return groups;
}

/** struct { u32 nr; struct { u32 pmu_type; struct perf_header_string pmu_name; } [nr]; } */
function parsePmuMappings(cursor: ByteCursor): { type: number; name: string }[] {
  const count = cursor.count(8);
  const mappings: { type: number; name: string }[] = [];
  for (let i = 0; i < count; i++) mappings.push({ type: cursor.u32(), name: parseText(cursor) });
  return mappings;
}

/** struct { u32 version; u32 clockid; u64 wall_clock_ns; u64 clockid_time_ns; }, version 1 */
function parseClockData(cursor: ByteCursor): ClockData {
  const version = cursor.u32();
  if (version !== 1) {
    throw new PerfDataError('bad-section', `version is ${version}, 1 expected`);
  }
  return { clockId: cursor.i32(), wallClockNs: cursor.bigU64(), clockNs: cursor.bigU64() };
}

/**
 *   struct { u32 version; u32 type; u32 level; u32 ratio; u32 mmap_len; }
 *
 * `perf stat record` writes it with type 0 (none) and inflates nothing: null.
 */
function parseCompression(cursor: ByteCursor): Compression | null {
  const compression = {
    version: cursor.u32(),
    type: cursor.u32(),
    level: cursor.u32(),
    ratio: cursor.u32(),
    mmapLength: cursor.u32(),
  };
  return compression.type === NO_COMPRESSION ? null : compression;
}
