import { ByteWriter } from '../base/byte-writer.ts';
import type { BuildIdEntry } from '../formats/perf-data/build-id-section.ts';
import { encodeTracingData } from '../formats/perf-data/encode-tracing-data.ts';
import {
  buildIdSection,
  commandLineSection,
  eventDescriptionSection,
  type FeatureSection,
  hostnameSection,
  sampleTimeSection,
  writeString,
} from '../formats/perf-data/feature-encoders.ts';
import { FEATURE, featureName } from '../formats/perf-data/features.ts';
import type { PipeEvent } from '../formats/perf-data/pipe-writer.ts';
import type { PerfData } from '../formats/perf-data/reader.ts';
import { parseTracingData } from '../kernel/tracepoint/tracing-data.ts';
import { readProvenance } from '../read/facts/provenance.ts';
import { type Labels, PROBE_SYSTEM } from './labels.ts';

/** The facts that the sections of the output depend on. */
export type SectionChanges = {
  readonly events: readonly PipeEvent[];
  readonly stripsKernel: boolean;
  readonly labels: Labels | null;
  /** Samples were left out. */
  readonly isPart: boolean;
  /** Raw times of the first and last sample of the output; null if not known yet. */
  readonly sampleTime: { readonly first: bigint; readonly last: bigint } | null;
  readonly buildIds: readonly BuildIdEntry[];
  /** Gets the names of sections that the output can't have. */
  readonly leaveOut: (name: string) => void;
};

const FEATURES = 256;
const LAST_KNOWN_FEATURE = FEATURE.CLN_SIZE;

// Of the layout of the input, which the output does not share.
const OF_THE_INPUT = new Set<number>([FEATURE.COMPRESSED, FEATURE.DIR_FORMAT, FEATURE.AUXTRACE]);

/** The header's sections of the output, in the order of their numbers. */
export function rewriteSections(data: PerfData, changes: SectionChanges): FeatureSection[] {
  const sections: FeatureSection[] = [];
  for (let feature = 1; feature < FEATURES; feature++) {
    const bytes = rewriteSection(data, feature, changes);
    if (bytes !== null) sections.push({ feature, bytes });
  }
  return sections;
}

function rewriteSection(
  data: PerfData,
  feature: number,
  changes: SectionChanges,
): Uint8Array | null {
  const { littleEndian } = data;
  const { labels, stripsKernel } = changes;
  const bytes = data.sections.bytes(feature);
  if (feature === FEATURE.BUILD_ID) {
    const { buildIds } = changes;
    if (buildIds.length > 0) return buildIdSection(buildIds, littleEndian).bytes;
    return bytes?.length === 0 ? bytes : null;
  }
  if (feature === FEATURE.EVENT_DESC) return eventSection(bytes, changes, littleEndian);
  if (bytes === null || OF_THE_INPUT.has(feature)) return null;
  switch (feature) {
    case FEATURE.HOSTNAME: {
      const { hostname } = data.features;
      if (labels === null || hostname === null) return labels === null ? bytes : null;
      return hostnameSection(labels.host(hostname), littleEndian).bytes;
    }
    case FEATURE.CMDLINE: {
      if (labels === null && !stripsKernel) return bytes;
      const list = (data.features.commandLine ?? []).map((argument) =>
        withoutAddresses(labels?.argument(argument) ?? argument, stripsKernel),
      );
      return commandLineSection(list, littleEndian).bytes;
    }
    case FEATURE.VERSION:
      return versionSection(data, bytes, changes);
    case FEATURE.SAMPLE_TIME: {
      if (!changes.isPart) return bytes;
      const { sampleTime } = changes;
      if (sampleTime === null) return null;
      return sampleTimeSection(sampleTime.first, sampleTime.last, littleEndian).bytes;
    }
    case FEATURE.TRACING_DATA:
      return labels === null && !stripsKernel ? bytes : tracingDataSection(bytes, changes);
    case FEATURE.BPF_PROG_INFO:
    case FEATURE.BPF_BTF:
      // Addresses, names and code of the programs.
      return labels === null && !stripsKernel ? bytes : null;
    default: {
      const isClean = labels === null && !stripsKernel;
      return isClean || feature <= LAST_KNOWN_FEATURE ? bytes : leftOut(feature, changes);
    }
  }
}

function leftOut(feature: number, changes: SectionChanges): null {
  changes.leaveOut(featureName(feature));
  return null;
}

/** Lists the events as the output has them. */
function eventSection(
  bytes: Uint8Array | null,
  { events, stripsKernel }: SectionChanges,
  littleEndian: boolean,
): Uint8Array | null {
  const isNamed = events.some(({ name }) => name !== null);
  if (bytes === null && !isNamed) return null;
  const described = events.map(({ attrBytes, ids, name }) => ({
    attrBytes,
    ids,
    name: withoutAddresses(name ?? '', stripsKernel),
  }));
  return eventDescriptionSection(described, littleEndian).bytes;
}

/** The version, and behind it what perf-ts says of its own recordings (provenance.ts). */
function versionSection(data: PerfData, bytes: Uint8Array, changes: SectionChanges): Uint8Array {
  const provenance = readProvenance(data);
  if (provenance === null) return bytes;
  const { labels, stripsKernel, isPart } = changes;
  const isThere = !data.pipe;
  if (isThere && labels === null && !isPart && !stripsKernel) return bytes;
  const { kernelSymbols: _, ...rest } = provenance;
  // Totals are of all samples; notes may name programs.
  const changed = {
    ...(stripsKernel ? rest : provenance),
    totals: isPart ? {} : provenance.totals,
    notes: labels === null ? provenance.notes : [],
  };
  const out = new ByteWriter(data.littleEndian);
  writeString(out, data.features.version ?? '');
  return out.text(JSON.stringify(changed)).finish();
}

/** The formats stay; kernel symbols, addresses of format strings, and comms of threads go. */
function tracingDataSection(bytes: Uint8Array, changes: SectionChanges): Uint8Array | null {
  const parts = parseTracingData(bytes);
  if (parts === null) return leftOut(FEATURE.TRACING_DATA, changes);
  const { labels } = changes;
  if (labels === null) return encodeTracingData(parts);
  // Readers look formats up by their numbers and need every one of them.
  const formats = parts.formats.map(({ system, text }) => {
    if (!PROBE_SYSTEM.test(system)) return { system, text };
    const name = /^name: *(.*?) *$/m.exec(text)?.[1] ?? '';
    const [probe = '', event = ''] = labels.event(`${system}:${name}`).split(':');
    return { system: probe, text: text.replace(/^name:.*$/m, `name: ${event}`) };
  });
  return encodeTracingData({ ...parts, formats });
}

/** `mem:0xffffffff81000000:rw` names a kernel address. */
function withoutAddresses(text: string, stripsKernel: boolean): string {
  return stripsKernel ? text.replace(/0x[89a-f][0-9a-f]{15}/gi, '0x0') : text;
}
