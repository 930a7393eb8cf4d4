import { walkRecords } from '../../formats/perf-data/reader.ts';
import { PERF_RECORD } from '../../kernel/perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../../kernel/perf-event/event-lookup.ts';
import { decodeSample, SampleView } from '../../kernel/perf-event/sample.ts';
import { eventName } from '../../read/facts/event-description.ts';
import { withRecording } from '../../read/open-recording.ts';

/** Samples of an event, and what they stand for by their own word. */
export type SampledSum = {
  readonly samples: number;
  /** Σ of the periods, in events. */
  readonly events: number;
};

/** Sums the samples of each event of a recording, by name. One walk over the file. */
export function sumSamples(path: string): ReadonlyMap<string, SampledSum> {
  return withRecording(path, (data) => {
    const { attrs } = data;
    const samples = new Float64Array(attrs.length);
    const events = new Float64Array(attrs.length);
    const sample = new SampleView(data.startTime);
    walkRecords(data, {
      record(record) {
        if (record.type !== PERF_RECORD.SAMPLE) return;
        const index = data.lookup.attrIndexOf(record);
        if (index === UNKNOWN_EVENT) return;
        const { info } = attrs[index];
        if (!decodeSample(record, info, sample)) return;
        samples[index] = samples[index] + 1;
        events[index] = events[index] + sample.period;
      },
    });
    return new Map(
      attrs.map((attr, index) => [
        eventName(attr),
        { samples: samples[index], events: events[index] },
      ]),
    );
  });
}
