import { memorySource } from '../../base/byte-source.ts';
import { encodePipeHead } from '../../formats/perf-data/pipe-writer.ts';
import { openPerfData, type PerfData } from '../../formats/perf-data/reader.ts';
import { collectLiveFeatures } from '../../record/output/feature-data.ts';
import { attrsWithIds } from '../../record/output/recording-file.ts';
import type { PreparedRecording } from '../../record/prepare-recording.ts';

type LiveSession = Pick<PreparedRecording, 'plan' | 'sampler' | 'settings'>;

/**
 * Records that stand for the header of a recording that has none, as in a pipe; `first`: its
 * first records, whose earliest time all others are counted from.
 */
export function openLiveHead(
  { plan, sampler: { opened }, settings }: LiveSession,
  first: Uint8Array,
): PerfData {
  const head = encodePipeHead(attrsWithIds(plan, opened), collectLiveFeatures(plan, settings));
  return openPerfData(memorySource(Buffer.concat([...head, first])));
}
