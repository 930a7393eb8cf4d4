import { toRawTime } from '../../base/u64.ts';
import { type PerfData, walkRecords } from '../../formats/perf-data/reader.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_RECORD, recordTypeName } from '../../kernel/perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../../kernel/perf-event/event-lookup.ts';
import { decodeRecord } from '../../kernel/perf-event/record.ts';
import { registerArchitectureOf } from '../../kernel/perf-event/register-names.ts';
import { decodeSample, SampleView } from '../../kernel/perf-event/sample.ts';
import type { SampleContext } from '../../kernel/perf-event/sample-fields.ts';
import { decodeTrailer, TrailerView } from '../../kernel/perf-event/trailer.ts';
import { eventName } from '../../read/facts/event-description.ts';
import type { ReadOptions } from '../../read/files/watched-source.ts';
import { withRecording } from '../../read/open-recording.ts';
import { readIbsEvents } from './ibs-events.ts';
import type { DescribedRecord } from './types.ts';

/** A record as it lies in the file. One object serves all: valid during the visit only. */
export type DumpedRecord = {
  /** File offset; of what was compressed, that of the record around it. */
  fileOffset: number;
  bytes: Uint8Array;
  type: number;
  misc: number;
  attr: EventAttr | null;
  /** −1 and null where not recorded. */
  cpu: number;
  timeNs: bigint | null;
  /** The sample, if it could be decoded. */
  sample: SampleContext | null;
  ibs: readonly string[] | null;
  /** Fields of another record. */
  other: DescribedRecord | null;
};

/** Records after which the share that was visited is reported. */
const RECORDS_A_REPORT = 4096;

/**
 * Calls `visit` with every record in the order of the file. Returns the opened file. `onShare` gets the
 * share of them, 0 … 1, that were visited, several times a second.
 */
export function dumpRecords(
  path: string,
  visit: (record: DumpedRecord) => void,
  { maxUnpacked, onShare }: ReadOptions = {},
): PerfData {
  const dump = (data: PerfData) => {
    const sample = new SampleView(data.startTime);
    const trailer = new TrailerView(data.startTime);
    const ibs = readIbsEvents(data);
    const rawTime = (timeNs: number) =>
      Number.isNaN(timeNs) ? null : toRawTime(data.startTime, timeNs);
    let visited = 0;
    walkRecords(data, {
      record(record) {
        if (visited++ % RECORDS_A_REPORT === 0) {
          onShare?.((record.fileOffset - data.dataOffset) / data.dataSize);
        }
        const { type } = record;
        const attrIndex = data.lookup.attrIndexOf(record);
        const event = attrIndex === UNKNOWN_EVENT ? undefined : data.attrs[attrIndex];
        const dumped: DumpedRecord = {
          fileOffset: record.fileOffset,
          bytes: record.bytes(),
          type,
          misc: record.misc,
          attr: event?.attr ?? null,
          cpu: -1,
          timeNs: null,
          sample: null,
          ibs: null,
          other: null,
        };
        if (event !== undefined && type === PERF_RECORD.SAMPLE) {
          if (decodeSample(record, event.info, sample)) {
            const { littleEndian } = data;
            const architecture = registerArchitectureOf(data.features.arch);
            dumped.sample = { sample, attr: event.attr, littleEndian, architecture };
            dumped.ibs = ibs?.(dumped.sample) ?? null;
            dumped.cpu = sample.cpu;
            dumped.timeNs = rawTime(sample.timeNs);
          }
        } else if (event !== undefined) {
          const decoded = decodeRecord(record, event.info);
          if (decoded.kind !== 'user' && decodeTrailer(record, event.info, trailer)) {
            dumped.cpu = trailer.cpu;
            dumped.timeNs = rawTime(trailer.timeNs);
          }
          dumped.other = { type: recordTypeName(type), event: eventName(event), record: decoded };
        }
        visit(dumped);
      },
    });
    return data;
  };
  return withRecording(path, dump, { maxUnpacked });
}
