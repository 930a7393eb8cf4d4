import type { FeatureSection } from '../formats/perf-data/feature-encoders.ts';
import { FEATURE } from '../formats/perf-data/features.ts';
import {
  encodeEventName,
  encodeHeaderAttr,
  encodeHeaderBuildIds,
  encodeHeaderFeature,
  encodeHeaderTracingData,
  encodePipeHeader,
} from '../formats/perf-data/pipe-writer.ts';

/** An event of the output. */
export type OutputEvent = {
  readonly attrBytes: Uint8Array;
  readonly ids: readonly number[];
  readonly name: string | null;
};

/** The records that a pipe has in place of a file's header: attrs, names, and the sections that fit. */
export function encodePipeHead(
  events: readonly OutputEvent[],
  sections: readonly FeatureSection[],
  littleEndian: boolean,
): Uint8Array[] {
  const parts = [encodePipeHeader(littleEndian)];
  for (const event of events) parts.push(encodeHeaderAttr(event, littleEndian));
  for (const { ids, name } of events) {
    if (name === null || ids[0] === undefined) continue;
    parts.push(encodeEventName(ids[0], name, littleEndian));
  }
  for (const section of sections) {
    const part = encodePipeSection(section, littleEndian);
    if (part !== null) parts.push(part);
  }
  return parts;
}

function encodePipeSection(section: FeatureSection, littleEndian: boolean) {
  switch (section.feature) {
    case FEATURE.BUILD_ID:
      return encodeHeaderBuildIds(section, littleEndian);
    case FEATURE.TRACING_DATA:
      return encodeHeaderTracingData(section.bytes, littleEndian);
    default:
      return encodeHeaderFeature(section, littleEndian);
  }
}
