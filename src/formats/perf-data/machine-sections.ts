import type { ByteCursor } from '../../base/byte-cursor.ts';
import { PerfDataError } from '../../base/errors.ts';

/** A NUMA node: its memory when the recording began, and its CPUs as perf writes lists: `0-3,8`. */
export type NumaNode = {
  readonly node: number;
  readonly totalKb: number;
  readonly freeKb: number;
  readonly cpus: string;
};

/** One cache of the machine, as sysfs describes it. */
export type CacheLevel = {
  readonly level: number;
  readonly lineSize: number;
  readonly sets: number;
  readonly ways: number;
  /** `Data`, `Instruction`, `Unified`. */
  readonly type: string;
  /** Size with its unit, `32K`. */
  readonly size: string;
  /** CPUs that share it. */
  readonly cpus: string;
};

/** Which blocks of memory belong to each node. */
export type MemoryTopology = {
  readonly blockBytes: number;
  readonly nodes: readonly {
    readonly node: number;
    /** Numbers of blocks there can be: bits in `blocks`. */
    readonly size: number;
    /** 64 blocks per word. */
    readonly blocks: readonly bigint[];
  }[];
};

/** The abilities of a PMU, as sysfs has them: `branches=32`. */
export type PmuCapabilities = {
  readonly pmu: string;
  readonly capabilities: readonly { readonly name: string; readonly value: string }[];
};

/** Which CPUs each PMU of a machine with two kinds of core counts on. */
export type HybridPmu = { readonly pmu: string; readonly cpus: string };

/** struct perf_header_string { u32 len; char string[len]; }, NUL-terminated and padded. */
export function parseText(cursor: ByteCursor): string {
  return cursor.text(cursor.u32());
}

/** struct { u32 nr; struct { u32 node; u64 mem_total, mem_free; struct perf_header_string cpus; } [nr]; } */
export function parseNumaTopology(cursor: ByteCursor): NumaNode[] {
  const count = cursor.count(24);
  const nodes: NumaNode[] = [];
  for (let i = 0; i < count; i++) {
    nodes.push({
      node: cursor.u32(),
      totalKb: cursor.u64(),
      freeKb: cursor.u64(),
      cpus: parseText(cursor),
    });
  }
  return nodes;
}

/**
 *   struct {
 *     u32 version;      // 1
 *     u32 nr;
 *     struct { u32 level, line_size, sets, ways; struct perf_header_string type, size, map; } [nr];
 *   };
 */
export function parseCaches(cursor: ByteCursor): CacheLevel[] {
  expectVersion(cursor.u32());
  const count = cursor.count(28);
  const caches: CacheLevel[] = [];
  for (let i = 0; i < count; i++) {
    caches.push({
      level: cursor.u32(),
      lineSize: cursor.u32(),
      sets: cursor.u32(),
      ways: cursor.u32(),
      type: parseText(cursor),
      size: parseText(cursor),
      cpus: parseText(cursor),
    });
  }
  return caches;
}

/**
 *   struct {
 *     u64 version;      // 1
 *     u64 block_size_bytes;
 *     u64 nr;
 *     struct { u64 node; u64 size; u64 bitmap_bits; u64 bitmap[(bitmap_bits + 63) / 64]; } [nr];
 *   };
 */
export function parseMemoryTopology(cursor: ByteCursor): MemoryTopology {
  expectVersion(cursor.u64());
  const blockBytes = cursor.u64();
  const count = expectRoom(cursor, cursor.u64(), 24);
  const nodes: MemoryTopology['nodes'][number][] = [];
  for (let i = 0; i < count; i++) {
    const node = cursor.u64();
    const size = cursor.u64();
    const words = expectRoom(cursor, Math.ceil(cursor.u64() / 64), 8);
    const blocks: bigint[] = [];
    for (let word = 0; word < words; word++) blocks.push(cursor.bigU64());
    nodes.push({ node, size, blocks });
  }
  return { blockBytes, nodes };
}

/** struct { u32 nr_cpu_pmu_caps; { struct perf_header_string name, value; } [nr]; }: of PMU `cpu` */
export function parseCpuPmuCapabilities(cursor: ByteCursor): PmuCapabilities[] {
  return [{ pmu: 'cpu', capabilities: parseCapabilities(cursor) }];
}

/**
 *   struct {
 *     u32 nr_pmu;
 *     struct {
 *       u32 nr_caps;
 *       { struct perf_header_string name, value; } [nr_caps];
 *       struct perf_header_string pmu_name;
 *     } [nr_pmu];
 *   };
 */
export function parsePmuCapabilities(cursor: ByteCursor): PmuCapabilities[] {
  const count = cursor.count(8);
  const list: PmuCapabilities[] = [];
  for (let i = 0; i < count; i++) {
    const capabilities = parseCapabilities(cursor);
    list.push({ pmu: parseText(cursor), capabilities });
  }
  return list;
}

function parseCapabilities(cursor: ByteCursor): { name: string; value: string }[] {
  const count = cursor.count(8);
  const list: { name: string; value: string }[] = [];
  for (let i = 0; i < count; i++) list.push({ name: parseText(cursor), value: parseText(cursor) });
  return list;
}

/** struct { u32 nr; struct { struct perf_header_string pmu_name, cpus; } [nr]; } */
export function parseHybridTopology(cursor: ByteCursor): HybridPmu[] {
  const count = cursor.count(8);
  const list: HybridPmu[] = [];
  for (let i = 0; i < count; i++) list.push({ pmu: parseText(cursor), cpus: parseText(cursor) });
  return list;
}

function expectVersion(version: number): void {
  if (version !== 1) {
    throw new PerfDataError('bad-section', `version is ${version}, 1 expected`);
  }
}

function expectRoom(cursor: ByteCursor, count: number, itemBytes: number): number {
  if (count * itemBytes > cursor.left) {
    throw new PerfDataError('short', `${count} items announced, ${cursor.left} bytes left`);
  }
  return count;
}
