import { finish } from '../../base/slices.ts';
import type { PeriodsReport } from '../../period/report/report.ts';
import { type SampleSelection, selectSamples } from '../../profile/analysis/select/filter.ts';
import type { Profile } from '../../profile/types.ts';
import { keepStreams } from '../../questions/periods.ts';

/**
 * Only the streams that have a sample which `select` admits, the largest `limit` of each event. A
 * stream's figures are those of all its samples, since the kernel's period depends on all of them;
 * those of the event are of all its streams.
 *
 * `report` must have all streams.
 */
export function selectStreams(
  report: PeriodsReport,
  profile: Profile,
  select: SampleSelection,
  limit: number | 'all',
): PeriodsReport {
  const { samples, streams, threads } = profile;
  const ids = new Set<string>();
  const tids = new Set<number>();
  const cpus = new Set<number>();
  for (const row of finish(selectSamples(profile, select))) {
    const stream = streams[samples.stream[row]];
    if (stream !== undefined) ids.add(stream.streamId);
    tids.add(threads[samples.thread[row]].tid);
    cpus.add(samples.cpu[row]);
  }
  const events = report.events.map((event) => {
    const selected = event.streams.filter((stream) =>
      // Where the recording has no stream ids, streams are those of threads or of CPUs.
      ids.size > 0
        ? ids.has(stream.streamId ?? '')
        : stream.tids.some((tid) => tids.has(tid)) &&
          (stream.cpus.length === 0 || stream.cpus.some((cpu) => cpus.has(cpu))),
    );
    return keepStreams(event, limit === 'all' ? Number.POSITIVE_INFINITY : limit, selected);
  });
  return { ...report, events };
}
