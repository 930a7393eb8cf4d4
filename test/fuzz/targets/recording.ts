// perf.data: the container, records, samples, feature sections, and the lines that print them.

import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { memorySource } from '../../../src/base/byte-source.ts';
import { formatDump } from '../../../src/cli/script/dump-text.ts';
import { recordBody, recordFields } from '../../../src/cli/script/record-text.ts';
import { readAppendix } from '../../../src/formats/perf-data/appendix.ts';
import { openPerfData, walkRecords } from '../../../src/formats/perf-data/reader.ts';
import { PERF_RECORD, recordTypeName } from '../../../src/kernel/perf-event/constants.ts';
import { decodeRecord } from '../../../src/kernel/perf-event/record.ts';
import type { RecordView } from '../../../src/kernel/perf-event/record-view.ts';
import { registerArchitectureOf } from '../../../src/kernel/perf-event/register-names.ts';
import { decodeSample, SampleView } from '../../../src/kernel/perf-event/sample.ts';
import {
  describeSampleFields,
  SCRIPT_FIELD_BITS,
  SCRIPT_FIELDS,
} from '../../../src/kernel/perf-event/sample-fields.ts';
import { decodeTrailer, TrailerView } from '../../../src/kernel/perf-event/trailer.ts';
import { readProvenance } from '../../../src/read/facts/provenance.ts';
import { createZstdDecoder } from '../../../src/read/files/zstd.ts';
import { visitInTimeOrder } from '../../../src/read/ordered-records.ts';
import { perfDataCorpora, readCorpus } from '../../helpers/corpora.ts';
import { builtRecordings } from '../../helpers/recordings.ts';
import { pick, type Random } from '../mutate-bytes.ts';
import { mutateRecording } from '../mutate-recording.ts';
import { checkShown, type Target } from '../target.ts';

const LARGEST_SEED = 24_000;

/** Small recordings, built and real; or those that `run.mjs --file` names, of any size. */
export function recordingSeeds(largest = LARGEST_SEED): Uint8Array[] {
  const given = process.env.PERF_TS_FUZZ_FILES;
  if (given !== undefined) return given.split(delimiter).map((path) => readFileSync(path));
  return [
    ...builtRecordings().map(([, bytes]) => bytes),
    ...perfDataCorpora()
      .filter(({ size }) => size <= largest)
      .map(({ file }) => readCorpus(file)),
  ];
}

export function mutateOneRecording(seeds: readonly Uint8Array[], random: Random): Uint8Array {
  return mutateRecording(pick(random, seeds), pick(random, seeds), random);
}

/** Opens and walks it, and decodes every record; every so often it is printed, too. */
function readContainer(bytes: Uint8Array, random: Random): void {
  const data = openPerfData(memorySource(bytes), { createZstdDecoder });
  const isPrinted = random() < 0.05;
  const isSorted = random() < 0.2;
  const sample = new SampleView(data.startTime);
  const trailer = new TrailerView(data.startTime);
  const { littleEndian } = data;
  const architecture = registerArchitectureOf(data.features.arch);
  const visitor = {
    record(record: RecordView) {
      const { view, type } = record;
      if (record.offset < 0 || record.end > view.byteLength) {
        throw new RangeError('a record outside of the view');
      }
      const event = data.attrs[data.lookup.attrIndexOf(record)];
      if (event === undefined) return;
      const { attr, info } = event;
      if (type === PERF_RECORD.SAMPLE) {
        if (!decodeSample(record, info, sample) || !isPrinted) return;
        const context = { sample, attr, littleEndian, architecture };
        describeSampleFields(context);
        for (const [field, bits] of Object.entries(SCRIPT_FIELD_BITS)) {
          if ((attr.sampleType & bits) === 0) continue;
          checkShown(SCRIPT_FIELDS[field as keyof typeof SCRIPT_FIELDS](context));
        }
        return;
      }
      const decoded = decodeRecord(record, info);
      decodeTrailer(record, info, trailer);
      if (!isPrinted) return;
      const other = { type: recordTypeName(type), event: null, record: decoded };
      recordBody(other, decoded);
      recordFields(decoded);
      checkShown(
        formatDump({
          fileOffset: record.fileOffset,
          bytes: record.bytes(),
          type,
          misc: record.misc,
          attr,
          cpu: trailer.cpu,
          timeNs: null,
          sample: null,
          ibs: null,
          other,
        }),
      );
    },
  };
  if (isSorted) visitInTimeOrder(data, visitor);
  else walkRecords(data, visitor);
  readProvenance(data);
  for (const { bytes } of readAppendix(data)) bytes.slice();
  if (data.skippedBytes > bytes.length || data.truncatedAt > bytes.length) {
    throw new RangeError(`${data.skippedBytes} skipped, cut at ${data.truncatedAt}`);
  }
}

export const recording: Target = {
  name: 'recording',
  seeds: () => recordingSeeds(),
  mutate: mutateOneRecording,
  read: readContainer,
};
