import { describe, expect, it } from 'vitest';
import { FailedError, PerfDataError } from '../../src/base/errors.ts';
import { hasCorpora, readCorpus } from '../helpers/corpora.ts';
import { seededRandom } from '../helpers/random.ts';
import { builtRecordings } from '../helpers/recordings.ts';
import { open, recordsOf, rewritten } from './helpers.ts';

const EVERYTHING = { stripKernel: true, anonymize: true, buildIds: 'remove' } as const;

/** Raw data of tracepoints, callchains and branches are where lengths inside of records lie. */
const CORPORA_FILES = [
  'own/sys_enter-c1-fork-fp.data',
  'google+perf_data_converter/perf.data.callgraph_and_branch-3.8',
];

const inputs: [string, Uint8Array][] = [
  ...builtRecordings(),
  ...(hasCorpora ? CORPORA_FILES : []).map((file): [string, Uint8Array] => [
    file,
    readCorpus(file).subarray(0, 60_000),
  ]),
];

describe('a damaged recording', () => {
  it.each(inputs)('%s: is written again, or refused with a reason', (_, bytes) => {
    const random = seededRandom(7);
    for (let round = 0; round < 60; round++) {
      const damaged = bytes.slice(0, bytes.length - Math.floor(random() * bytes.length * 0.5));
      for (let flip = 0; flip < 8; flip++) {
        const at = Math.floor(random() * damaged.length);
        damaged[at] = Math.floor(random() * 256);
      }
      try {
        const { data, summary } = rewritten(damaged, EVERYTHING);
        expect(summary.samplesKept).toBeLessThanOrEqual(summary.samples);
        expect(recordsOf(data).length).toBeLessThanOrEqual(recordsOf(open(damaged)).length);
        expect(data.truncatedAt).toBe(-1);
      } catch (error) {
        if (!(error instanceof PerfDataError) && !(error instanceof FailedError)) throw error;
      }
    }
  });
});
