import { ByteWriter } from '../../base/byte-writer.ts';
import { fromHex } from '../../base/hex.ts';
import { PERF_RECORD_MISC } from '../../kernel/perf-event/constants.ts';
import { withEqualSizes } from './attr-sizes.ts';
import type { BuildIdEntry } from './build-id-section.ts';
import { encodeTracingData, type TracingData } from './encode-tracing-data.ts';
import {
  type ClockData,
  type Compression,
  type GroupDescription,
  ZSTD,
} from './feature-sections.ts';
import { FEATURE } from './features.ts';
import type { HybridPmu, PmuCapabilities } from './machine-sections.ts';

/** A header section ready to be written. */
export type FeatureSection = { readonly feature: number; readonly bytes: Uint8Array };

/** An event as the file will list it. */
export type EncodedEvent = {
  /** `encodeAttr` of its attr. */
  readonly attrBytes: Uint8Array;
  readonly name: string;
  readonly ids: readonly bigint[] | readonly number[] | BigUint64Array;
};

// The structs are those of feature-sections.ts. Little-endian, as the machines are that can record,
// where no byte order is asked for.

/** perf pads strings and build-ID entries to this; readers take any padding. */
const STRING_ALIGNMENT = 64;

export function hostnameSection(hostname: string, littleEndian = true): FeatureSection {
  return textSection(FEATURE.HOSTNAME, hostname, littleEndian);
}

export function osReleaseSection(release: string): FeatureSection {
  return textSection(FEATURE.OSRELEASE, release);
}

export function versionSection(version: string): FeatureSection {
  return textSection(FEATURE.VERSION, version);
}

/** `uname -m`. */
export function archSection(arch: string): FeatureSection {
  return textSection(FEATURE.ARCH, arch);
}

export function cpuDescriptionSection(description: string): FeatureSection {
  return textSection(FEATURE.CPUDESC, description);
}

export function cpuIdSection(cpuId: string): FeatureSection {
  return textSection(FEATURE.CPUID, cpuId);
}

/** Logical CPUs. */
export function cpuCountsSection(available: number, online: number): FeatureSection {
  return { feature: FEATURE.NRCPUS, bytes: new ByteWriter().u32(available).u32(online).finish() };
}

/** Memory of the machine, 1 kB being 1024 bytes. */
export function totalMemorySection(kilobytes: number): FeatureSection {
  return { feature: FEATURE.TOTAL_MEM, bytes: new ByteWriter().u64(kilobytes).finish() };
}

export function commandLineSection(args: readonly string[], littleEndian = true): FeatureSection {
  const out = new ByteWriter(littleEndian).u32(args.length);
  for (const arg of args) writeString(out, arg);
  return { feature: FEATURE.CMDLINE, bytes: out.finish() };
}

/** Records are compressed by zstd. */
export function compressionSection({
  level,
  ratio,
  mmapLength,
}: Pick<Compression, 'level' | 'ratio' | 'mmapLength'>): FeatureSection {
  const out = new ByteWriter().u32(0).u32(ZSTD).u32(level).u32(ratio).u32(mmapLength);
  return { feature: FEATURE.COMPRESSED, bytes: out.finish() };
}

/** Events in the order of the file's attrs. */
export function eventDescriptionSection(
  events: readonly EncodedEvent[],
  littleEndian = true,
): FeatureSection {
  const attrBytes = events.map((event) => event.attrBytes);
  const attrs = withEqualSizes(attrBytes, littleEndian);
  const out = new ByteWriter(littleEndian).u32(events.length).u32(attrs[0]?.length ?? 0);
  events.forEach((event, index) => {
    out.bytes(attrs[index]).u32(event.ids.length);
    writeString(out, event.name);
    for (const id of event.ids) out.u64(id);
  });
  return { feature: FEATURE.EVENT_DESC, bytes: out.finish() };
}

export function buildIdSection(
  entries: readonly BuildIdEntry[],
  littleEndian = true,
): FeatureSection {
  const out = new ByteWriter(littleEndian);
  for (const { pid, cpuMode, buildId, filename } of entries) {
    const id = fromHex(buildId);
    if (id === null || id.length > 20) throw new RangeError(`not a build ID: '${buildId}'`);
    const start = out.length;
    out
      .u32(0)
      .u16(cpuMode | PERF_RECORD_MISC.BUILD_ID_SIZE)
      .u16(0);
    out
      .u32(pid)
      .bytes(id)
      .zeros(20 - id.length)
      .u8(id.length)
      .zeros(3);
    out.text(filename).u8(0);
    out.align(STRING_ALIGNMENT);
    out.patchU16(start + 6, out.length - start);
  }
  return { feature: FEATURE.BUILD_ID, bytes: out.finish() };
}

export function groupsSection(groups: readonly GroupDescription[]): FeatureSection {
  const out = new ByteWriter().u32(groups.length);
  for (const { name, leaderIndex, memberCount } of groups) {
    writeString(out, name);
    out.u32(leaderIndex).u32(memberCount);
  }
  return { feature: FEATURE.GROUP_DESC, bytes: out.finish() };
}

/** Raw times of the first and last sample. */
export function sampleTimeSection(
  first: bigint,
  last: bigint,
  littleEndian = true,
): FeatureSection {
  const bytes = new ByteWriter(littleEndian).u64(first).u64(last).finish();
  return { feature: FEATURE.SAMPLE_TIME, bytes };
}

/** CLOCKID: the resolution of the records' clock. */
export function clockResolutionSection(nanoseconds: number): FeatureSection {
  return { feature: FEATURE.CLOCKID, bytes: new ByteWriter().u64(nanoseconds).finish() };
}

export function clockDataSection({ clockId, wallClockNs, clockNs }: ClockData): FeatureSection {
  const out = new ByteWriter().u32(1).u32(clockId).u64(wallClockNs).u64(clockNs);
  return { feature: FEATURE.CLOCK_DATA, bytes: out.finish() };
}

export function tracingDataSection(data: TracingData): FeatureSection {
  return { feature: FEATURE.TRACING_DATA, bytes: encodeTracingData(data) };
}

export function pmuMappingsSection(
  mappings: readonly { readonly type: number; readonly name: string }[],
): FeatureSection {
  const out = new ByteWriter().u32(mappings.length);
  for (const { type, name } of mappings) writeString(out.u32(type), name);
  return { feature: FEATURE.PMU_MAPPINGS, bytes: out.finish() };
}

/** The abilities of PMUs: that of the PMU `cpu` has a section of its own, all others share one. */
export function pmuCapabilitiesSections(pmus: readonly PmuCapabilities[]): FeatureSection[] {
  const isOfCpu = ({ pmu }: PmuCapabilities) => pmu === 'cpu';
  const cpu = pmus.find(isOfCpu);
  const others = pmus.filter((pmu) => !isOfCpu(pmu));
  const sections: FeatureSection[] = [];
  if (cpu !== undefined) {
    const out = new ByteWriter();
    writeCapabilities(out, cpu);
    sections.push({ feature: FEATURE.CPU_PMU_CAPS, bytes: out.finish() });
  }
  if (others.length > 0) {
    const out = new ByteWriter().u32(others.length);
    for (const other of others) {
      writeCapabilities(out, other);
      writeString(out, other.pmu);
    }
    sections.push({ feature: FEATURE.PMU_CAPS, bytes: out.finish() });
  }
  return sections;
}

function writeCapabilities(out: ByteWriter, { capabilities }: PmuCapabilities): void {
  out.u32(capabilities.length);
  for (const { name, value } of capabilities) {
    writeString(out, name);
    writeString(out, value);
  }
}

/** Which CPUs each PMU counts on, where cores are of several kinds. */
export function hybridTopologySection(pmus: readonly HybridPmu[]): FeatureSection {
  const out = new ByteWriter().u32(pmus.length);
  for (const { pmu, cpus } of pmus) {
    writeString(out, pmu);
    writeString(out, cpus);
  }
  return { feature: FEATURE.HYBRID_TOPOLOGY, bytes: out.finish() };
}

function textSection(feature: number, text: string, littleEndian = true): FeatureSection {
  const out = new ByteWriter(littleEndian);
  writeString(out, text);
  return { feature, bytes: out.finish() };
}

/** struct perf_header_string { u32 len; char string[len]; }, padded within `len`. */
export function writeString(out: ByteWriter, text: string): void {
  const lengthAt = out.length;
  out.u32(0).text(text).u8(0);
  const length = out.length - lengthAt - 4;
  const padded = Math.ceil(length / STRING_ALIGNMENT) * STRING_ALIGNMENT;
  out.zeros(padded - length);
  out.patchU32(lengthAt, padded);
}
