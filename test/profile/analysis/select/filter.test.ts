import { describe, expect, test } from 'vitest';
import { finish } from '../../../../src/base/slices.ts';
import {
  groupByBoth,
  isRestricting,
  type SampleSelection,
  selectSamples,
} from '../../../../src/profile/analysis/select/filter.ts';
import { profileFromText } from '../../../helpers/profile-from-text.ts';

// Samples 0 … 4 are 1 ms apart.
const profile = profileFromText(`
  comm    node   node       gzip       node  perl
  tid     10     11         20         11    30
  event   cycles cycles     cycles     misses cycles
          main   main       main@gzip  main  run@perl
          work   read@libc  read@libc  leaf
`);
const select = (selection: SampleSelection) => [...finish(selectSamples(profile, selection))];

describe('a selection of samples', () => {
  test.each<[string, SampleSelection, number[]]>([
    ['nothing asked', {}, [0, 1, 2, 3, 4]],
    ['an event', { event: 1 }, [3]],
    ['threads', { tids: new Set([11, 20]) }, [1, 2, 3]],
    ['a comm', { comms: new Set(['node']) }, [0, 1, 3]],
    ['several comms, one of them unknown', { comms: new Set(['gzip', 'x']) }, [2]],
    ['the DSO of the innermost frame', { dsos: new Set(['libc']) }, [1, 2]],
    ['the function of the innermost frame', { symbols: new Set(['read', 'leaf']) }, [1, 2, 3]],
    ['a caller is not the innermost frame', { symbols: new Set(['main']) }, []],
    ['two conditions', { comms: new Set(['node']), symbols: new Set(['read']) }, [1]],
    ['the CPU of all', { cpus: new Set([0, 5]) }, [0, 1, 2, 3, 4]],
    ['another CPU', { cpus: new Set([1]) }, []],
    ['a span of time', { fromNs: 1e6, toNs: 3e6 }, [1, 2]],
    [
      'spans of time',
      {
        times: [
          { fromNs: 0, toNs: 1 },
          { fromNs: 3e6, toNs: 9e9 },
        ],
      },
      [0, 3, 4],
    ],
    ['spans inside of a span', { fromNs: 1, times: [{ fromNs: 0, toNs: 2e6 }] }, [1]],
  ])('%s', (_, selection, expected) => {
    expect(select(selection)).toEqual(expected);
  });

  test('the samples of an event are in memory once, whatever stacks are shown', () => {
    const rows = finish(selectSamples(profile, { event: 0 }));
    const { samples } = profile;
    const cut = { ...profile, samples: { ...samples, stack: new Int32Array(5) } };
    expect(finish(selectSamples(cut, { event: 0 })).buffer).toBe(rows.buffer);
    const fewer = { ...profile, samples: { ...samples, length: 2 } };
    expect([...finish(selectSamples(fewer, { event: 0 }))]).toEqual([0, 1]);
  });

  test('selecting the only event selects all samples', () => {
    expect(isRestricting({ event: 0 })).toBe(false);
    expect(isRestricting({ event: 0, cpus: new Set([1]) })).toBe(true);
  });
});

describe('samples by two keys', () => {
  const { thread, event } = profile.samples;
  const threads = [thread, profile.threads.length] as const;
  const events = [event, profile.events.length] as const;
  const all = Int32Array.from([0, 1, 2, 3, 4]);
  const groups = (...keys: [typeof threads, typeof events]) =>
    finish(groupByBoth(all, ...keys)).map((rows) => [...rows]);

  test('samples are grouped by the first key, then by the second, without empty groups', () => {
    expect(groups(threads, events)).toEqual([[0], [1], [3], [2], [4]]);
    expect(groups(events, threads)).toEqual([[0], [1], [2], [4], [3]]);
    expect(finish(groupByBoth(new Int32Array(0), threads, events))).toEqual([]);
  });

  test('samples with the same two keys are one group, in time order', () => {
    const { samples } = profileFromText(`
      tid    10     11     10     11     10
      event  cycles misses cycles misses misses
             main   main   main   main   main
    `);
    const rows = finish(groupByBoth(all, [samples.thread, 2], [samples.event, 2]));
    expect(rows.map((group) => [...group])).toEqual([[0, 2], [4], [1, 3]]);
  });
});
