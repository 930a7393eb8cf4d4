import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { PerfDataError } from '../../../src/base/errors.ts';
import { openPerfData, type PerfData, walkRecords } from '../../../src/formats/perf-data/reader.ts';
import { InflatedView } from '../../../src/formats/perf-data/record-inflater.ts';
import { PERF_RECORD } from '../../../src/kernel/perf-event/constants.ts';
import { createZstdDecoder } from '../../../src/read/files/zstd.ts';
import { hasCorpora, readCorpus } from '../../helpers/corpora.ts';
import { seededRandom } from '../../helpers/random.ts';
import { builtRecordings } from '../../helpers/recordings.ts';

// A recording may end anywhere: the disk was full, the copy was stopped, the machine went down.
const CUTS = Number(process.env.PERF_TS_CUTS ?? 10_000);

/** Of the corpora: old and new, file and pipe, compressed, with simpleperf's sections. */
const CORPUS = [
  'KDAB+hotspot/perf.data.true.v1',
  'KDAB+hotspot/perf.data.true.v2',
  'KDAB+perfparser/contentsize.data',
  'KDAB+perfparser/vector_static_gcc.perf.data.zstd@4ac34ec4',
  'google+perf_data_converter/perf.data.group_desc-4.14',
  'google+perf_data_converter/perf.data.piped.header_features-4.16',
  'google+perf_data_converter/perf.data.singleprocess-3.4',
  'jbeich+platform_system_extras/perf_with_add_counter.data',
  'mstange+linux-perf-data/sleep.compressed.data',
  'mstange+linux-perf-data/sleep.compressed.pipe.data',
  'own/multi-5events-threads-forks.data',
  'own/pipe-F2000-fp.pipe.data',
];
const recordings: [name: string, bytes: Uint8Array][] = [
  ...builtRecordings(),
  ...(hasCorpora ? CORPUS.map((file): [string, Uint8Array] => [file, readCorpus(file)]) : []),
];

/** Where each record of the walk ends in the file, what follows it included. */
function recordEnds(data: PerfData): number[] {
  const ends: number[] = [];
  let fileEnd = 0;
  walkRecords(data, {
    record(record) {
      const { view, offset, size, type, fileOffset } = record;
      if (!(view instanceof InflatedView)) {
        fileEnd = fileOffset + size;
        if (type === PERF_RECORD.AUXTRACE) {
          fileEnd += Number(view.getBigUint64(offset + 8, data.littleEndian));
        }
        if (type === PERF_RECORD.HEADER_TRACING_DATA && data.pipe) {
          fileEnd += view.getUint32(offset + 8, data.littleEndian);
        }
      }
      ends.push(fileEnd);
    },
  });
  return ends;
}

/** The same number for the same record; a walk is told by the numbers of its records. */
function fingerprints(data: PerfData): number[] {
  const list: number[] = [];
  walkRecords(data, {
    record(record) {
      const { size, type, misc, fileOffset } = record;
      list.push(type + 1009 * misc + 100_003 * size + 2 ** 27 * fileOffset);
    },
  });
  return list;
}

const open = (bytes: Uint8Array) => openPerfData(memorySource(bytes), { createZstdDecoder });

describe('a recording that is cut', () => {
  test.each(recordings)(
    '%s: complete records are read, and one message reports the cut',
    (_, bytes) => {
      const whole = open(bytes);
      const ends = recordEnds(whole);
      const records = fingerprints(whole);
      expect(whole.diagnostics.entries()).toEqual([]);
      expect(records.length).toBeGreaterThan(5);

      const random = seededRandom(bytes.length);
      const cuts = Math.ceil(CUTS / recordings.length);
      for (let i = 0; i < cuts; i++) {
        const length = Math.floor(random() * bytes.length);
        let data: PerfData;
        try {
          data = open(bytes.subarray(0, length));
        } catch (error) {
          expect(error, `${length} bytes`).toBeInstanceOf(PerfDataError);
          expect(length, 'only a cut header is refused').toBeLessThanOrEqual(whole.dataOffset);
          continue;
        }
        const read = fingerprints(data);
        const expected = ends.findIndex((end) => end > length);
        expect(read.length, `${length} bytes`).toBeGreaterThanOrEqual(
          expected < 0 ? records.length : expected,
        );
        expect(read, `${length} bytes`).toEqual(records.slice(0, read.length));

        const messages: string[] = data.diagnostics.entries().map(({ code }) => code);
        if (data.truncatedAt >= 0) messages.push(`cut at ${data.truncatedAt}`);
        // Between two records a pipe may well end.
        const isUnnoticeable = whole.pipe && (length === 16 || ends.includes(length));
        if (isUnnoticeable) expect(messages.length, messages.join()).toBeLessThanOrEqual(1);
        else expect(messages, `${length} bytes`).toHaveLength(1);
      }
    },
  );
});
