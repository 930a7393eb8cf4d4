import { memorySource } from '../../base/byte-source.ts';
import {
  encodeEventName,
  encodeHeaderAttr,
  encodePipeHeader,
} from '../../formats/perf-data/pipe-writer.ts';
import { openPerfData, type PerfData } from '../../formats/perf-data/reader.ts';
import type { SamplerOpened } from '../../native/types.ts';
import { attrsWithIds } from '../../record/recording-file.ts';
import type { RecordingPlan } from '../../record/recording-plan.ts';

/**
 * What the header of a file would say about a recording that has none, as a pipe says it; `first`: its
 * first records, whose earliest time all others are counted from.
 */
export function openLiveHead(
  plan: RecordingPlan,
  opened: SamplerOpened,
  first: Uint8Array,
): PerfData {
  const parts = [encodePipeHeader()];
  for (const attr of attrsWithIds(plan, opened)) parts.push(encodeHeaderAttr(attr));
  plan.events.forEach(({ name }, index) => {
    const id = opened.ids[index]?.[0];
    if (id !== undefined) parts.push(encodeEventName(id, name));
  });
  return openPerfData(memorySource(Buffer.concat([...parts, first])));
}
