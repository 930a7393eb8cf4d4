import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { PerfDataError } from '../../../src/base/errors.ts';
import { openPerfData, walkRecords } from '../../../src/formats/perf-data/reader.ts';
import { PERF_RECORD } from '../../../src/kernel/perf-event/constants.ts';
import { decodeRecord } from '../../../src/kernel/perf-event/record.ts';
import { decodeSample, SampleView } from '../../../src/kernel/perf-event/sample.ts';
import { createZstdDecoder } from '../../../src/read/files/zstd.ts';
import { hasCorpora, isFuzzed, perfDataCorpora, readCorpus } from '../../helpers/corpora.ts';
import { seededRandom } from '../../helpers/random.ts';
import { builtRecordings } from '../../helpers/recordings.ts';

// Bytes are changed at random places of real files. PERF_TS_FUZZ=100000 goes on for longer,
// PERF_TS_FUZZ_SEED begins elsewhere.
const DAMAGES = Number(process.env.PERF_TS_FUZZ ?? 4000);
const SEED = Number(process.env.PERF_TS_FUZZ_SEED ?? 1);
const LARGEST_FILE = 40_000;

const INTERESTING = [0, 1, 7, 8, 0x7f, 0x80, 0xfe, 0xff];

const recordings: [name: string, bytes: Uint8Array][] = [
  ...builtRecordings(),
  ...perfDataCorpora()
    .filter((expected) => !isFuzzed(expected) && expected.size <= LARGEST_FILE)
    .map(({ file }): [string, Uint8Array] => [file, readCorpus(file)]),
];

/** Changes one to eight places: a byte, or a run of up to eight, most of them in the header. */
function damage(whole: Uint8Array, random: () => number): Uint8Array {
  const bytes = Uint8Array.from(whole);
  const places = 1 + Math.floor(random() * 8);
  for (let i = 0; i < places; i++) {
    const range = random() < 0.4 ? Math.min(1024, bytes.length) : bytes.length;
    const at = Math.floor(random() * range);
    const length = random() < 0.7 ? 1 : 1 + Math.floor(random() * 8);
    const value =
      random() < 0.5
        ? INTERESTING[Math.floor(random() * INTERESTING.length)]
        : Math.floor(random() * 256);
    bytes.fill(value, at, at + length);
  }
  return bytes;
}

function readAll(bytes: Uint8Array): void {
  const data = openPerfData(memorySource(bytes), { createZstdDecoder });
  const sampleView = new SampleView(data.startTime);
  walkRecords(data, {
    record(record) {
      const { view, offset, size, type } = record;
      if (offset < 0 || offset + size > view.byteLength)
        throw new RangeError('outside of the view');
      const info = data.attrs[data.lookup.attrIndexOf(record)]?.info;
      if (info === undefined) return;
      if (type === PERF_RECORD.SAMPLE) decodeSample(record, info, sampleView);
      else decodeRecord(record, info);
    },
  });
  expect(data.skippedBytes).toBeLessThanOrEqual(bytes.length);
  expect(data.truncatedAt).toBeLessThanOrEqual(bytes.length);
}

describe('a recording with damaged bytes', () => {
  test.each(recordings)('%s: is read or refused', (name, whole) => {
    const random = seededRandom(SEED + whole.length);
    const rounds = Math.ceil(DAMAGES / recordings.length);
    for (let i = 0; i < rounds; i++) {
      const bytes = damage(whole, random);
      try {
        readAll(bytes);
      } catch (error) {
        expect(error, `${name}, seed ${SEED}, round ${i}`).toBeInstanceOf(PerfDataError);
      }
    }
  });

  test.skipIf(!hasCorpora)('some real recordings are small enough', () => {
    expect(recordings.length).toBeGreaterThan(20);
  });
});
