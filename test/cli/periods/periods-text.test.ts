import { expect, test } from 'vitest';
import { formatPeriods } from '../../../src/cli/render/periods-text.ts';
import { reportPeriods } from '../../../src/period/report/report.ts';
import type { PeriodInput } from '../../../src/period/types.ts';
import {
  CPU_CLOCK,
  CYCLES,
  everyNs,
  fixtureSamples,
  PAGE_FAULTS,
  recordingOf,
  withoutReads,
} from '../../period/recording.ts';

/** The text without its plots. */
const textOf = (input: PeriodInput) => {
  const lines = formatPeriods(reportPeriods(input));
  const first = lines.findIndex((line) => /^ {2}(events per sample|samples per second)/.test(line));
  if (first < 0) return lines;
  const end = lines.indexOf('', first);
  return [...lines.slice(0, first - 1), ...lines.slice(end + 1)];
};
const faultsAt = (frequencyHz: number) => [{ ...PAGE_FAULTS, frequencyHz }];
const repeat = (period: number, samples: number) => Array.from({ length: samples }, () => period);
const losing = (lostRecords: number, lostSamples: number) =>
  ({ losses: [{ event: 0, lostRecords, lostSamples }] }) as unknown as Partial<PeriodInput>;

test('the text of a converged event: verdict, settle point, period, rate', () => {
  const input = recordingOf(faultsAt(5000), fixtureSamples('page-faults-5000hz.tsv'));
  expect(textOf(input)).toEqual([
    'page-faults: 5 000 Hz asked, 4 368 Hz reached',
    '  converged      settled after 14 samples (1.7 ms) and followed 2 changes of the event rate',
    '  period         82 settled (90% of samples: 13 to 95; mean 76, CV 0.33)',
    '  event rate     330 000 events/s while settled',
    '  first          1 1 1 2 5 12 39 36 37 35 40 44 49 53 57 59 65 67 70 74 …',
    '  phase          1.7 ms to 32.7 ms: 424 000 events/s, period 83',
    '  phase          33.7 ms to 80.6 ms: 61 700 events/s, period 14',
    '  phase          80.6 ms to 303.7 ms: 374 000 events/s, period 86',
    '  counted        99 968 events in 1 334 samples, none lost',
    '  rule           a sample reports the interval after it (seen in the counts)',
    '  ramps          1.05% of the samples, 0.30% of the events',
    "  model          the kernel's algorithm explains 98.9% exactly, 99.5% within 1% (HZ 250)",
    '  advice         -c 67 would sample at about the rate asked, without ramps',
  ]);
});

test('a burst after an idle gap is explained, with its effect on the profile', () => {
  const samples = fixtureSamples('page-faults-500hz-rare-phases.tsv');
  expect(textOf(recordingOf(faultsAt(500), samples))).toEqual([
    'page-faults: 500 Hz asked, 461 Hz reached',
    '  re-ramped      settled after 20 samples (81.3 ms), then ramped up again once',
    '  period         879 settled (90% of samples: 700 to 1 064; mean 868, CV 0.12)',
    '  overshoot      before it settled the period rose to 6.0 times its settled value',
    '  event rate     401 000 events/s while settled',
    '  first          1 1 1 11 240 3816 5385 3932 3527 2893 2160 1836 1586 1419 1333 1250 1193 1168 …',
    '  idle           one gap without events, 133.6 ms in all, left out of the rates',
    '  re-ramp        at 375.8 ms, after 133.6 ms with few events: 751 → 8 → 57 425, 17 samples',
    '  burst          one burst of samples after gaps at 375.8 ms: 4 samples, at up to 12 200 Hz',
    '  counted        399 893 events in 332 samples, none lost',
    '  rule           a sample reports the interval after it (seen in the counts)',
    '  ramps          11.14% of the samples, 35.76% of the events',
    "  model          the kernel's algorithm explains 64.2% exactly, 98.2% within 1% (HZ 250)",
    '  advice         weigh by events when comparing profiles',
    '  advice         332 samples tell as much as 29 of equal weight (50% is ±17 points): record longer',
    '  advice         -c 809 would sample at about the rate asked, without ramps',
  ]);
});

test('the text gives the source of the rule, and no count of events, where there are no counts', () => {
  const samples = withoutReads(fixtureSamples('page-faults-500hz-sleeps.tsv'));
  expect(textOf(recordingOf(faultsAt(500), samples))).toEqual([
    'page-faults: 500 Hz asked, 467 Hz reached',
    '  converged      settled after 10 samples (169.1 ms)',
    '  period         839 settled (90% of samples: 659 to 1 032; mean 834, CV 0.13)',
    '  overshoot      before it settled the period rose to 40.9 times its settled value',
    '  event rate     389 000 events/s while settled',
    '  first          1 1 1 13 322 19550 36538 7960 1322 1144 986 855 855 845 866 876 894 896 887 885 …',
    '  idle           2 gaps without events, 805.8 ms in all, left out of the rates',
    '  counted        650 samples, none lost',
    '  rule           a sample reports the interval after it (known of this kind of event)',
    '  ramps          1.54% of the samples, 10.96% of the events',
    "  model          the kernel's algorithm explains 67.3% exactly, 99.5% within 1% (HZ 250), switches",
    '                 between tasks guessed',
    '  advice         weigh by events when comparing profiles',
    '  advice         650 samples tell as much as 161 of equal weight (50% is ±8 points): record longer',
    '  advice         -c 787 would sample at about the rate asked, without ramps',
  ]);
});

test('the text of a clock has no settle point', () => {
  const input = recordingOf([CPU_CLOCK], everyNs(33_333, repeat(33_333, 100)));
  expect(textOf(input)).toEqual([
    'cpu-clock: fixed by the kernel at 33 333 ns (30 000 Hz): nothing to converge',
    '  counted        100 samples, none lost',
  ]);
});

test('the text of a late clock gives the rate reached', () => {
  const input = recordingOf([CPU_CLOCK], everyNs(40_000, repeat(33_333, 100)));
  expect(textOf(input)[0]).toBe(
    'cpu-clock: fixed by the kernel at 33 333 ns (30 000 Hz): nothing to converge; 25 000 Hz reached',
  );
});

test('the text of a fixed period', () => {
  const every1000 = {
    ...CYCLES,
    mode: 'period',
    frequencyHz: null,
    fixedPeriod: 1000,
  } as const;
  expect(textOf(recordingOf([every1000], everyNs(1e6, repeat(1000, 20))))).toEqual([
    'cycles: a sample every 1 000 events, as asked: nothing to converge; 1 000 Hz',
    '  counted        20 samples, none lost',
  ]);
});

test('a few samples are listed without a verdict', () => {
  const input = recordingOf([PAGE_FAULTS], everyNs(100_000, [1, 1, 1, 1, 3, 7, 45]));
  expect(textOf(input)).toEqual([
    'page-faults: 5 000 Hz asked, 7 samples',
    '  too-short      7 samples are too few to tell',
    '  first          1 1 1 1 3 7 45',
    '  counted        7 samples, none lost',
    '  rule           a sample reports the interval after it (known of this kind of event)',
    '  advice         record longer',
  ]);
});

test('an event rarer than the requested rate is reported as converged', () => {
  const text = textOf(recordingOf([PAGE_FAULTS], everyNs(10e6, repeat(1, 50))));
  expect(text.slice(0, 2)).toEqual([
    'page-faults: 5 000 Hz asked, 100 Hz reached',
    '  converged      rarer than the rate asked: every event is a sample',
  ]);
});

test('losses and throttling have lines, even without samples', () => {
  const input = recordingOf([CYCLES], everyNs(200_000, repeat(100, 75)), {
    ...losing(20, 25),
    throttles: [{ event: 0, stream: 0, startNs: 0, endNs: 4e6 }],
  });
  const text = textOf(input);
  expect(text).toContain('  throttled      the kernel paused the event for 4.0 ms');
  expect(text).toContain('  lost           25.0% of the samples (25) were lost');
  expect(text).toContain(
    '  throttled      once, 4.0 ms in all, first at 0 ns: these stretches are missing',
  );
  expect(text).toContain('  advice         ask for a lower rate');
  expect(textOf(recordingOf([CYCLES], [], losing(0, 9)))).toEqual([
    'cycles: no samples',
    '  lost           100% of the samples (9) were lost',
  ]);
});

test('an unknown period rule is reported as unknown', () => {
  const text = textOf(recordingOf([CYCLES], everyNs(250_000, repeat(1000, 50))));
  expect(text).toContain(
    '  rule           unknown which interval a sample reports: used as reported; record --counts tells',
  );
});

test('several streams are a table, the rest one row', () => {
  const samples = [
    ...everyNs(200_000, repeat(100, 40)).map((sample) => ({ ...sample, stream: 0, cpu: 0 })),
    { timeNs: 8.1e6, period: 7, stream: 1, thread: 1, cpu: 1 },
    { timeNs: 8.2e6, period: 9, stream: 1, thread: 1, cpu: 1 },
    { timeNs: 8.3e6, period: 9, stream: 2, thread: 2, cpu: 1 },
  ];
  const report = reportPeriods(recordingOf([PAGE_FAULTS], samples), { streams: 2 });
  const text = formatPeriods(report);
  expect(text[1]).toBe(
    '  streams        3, each with a period of its own: 2 too-short, 1 converged. The largest:',
  );
  expect(text.slice(text.lastIndexOf('') + 1)).toEqual([
    '  stream  tid  CPU  samples  verdict    settled after     Hz  period',
    '      10  100    0       40  converged  at once        5 000     100',
    '      11  101    1        2  too-short  –                  –       –',
    '  1 more                  1',
  ]);
});

test('streams of a timer, and limits that stayed, have lines only where they are asked for', () => {
  const samples = [0, 1].flatMap((stream) =>
    everyNs(1e6, repeat(1e6, 40)).map((sample) => ({ ...sample, stream, cpu: stream })),
  );
  const kernel = { maxSampleRate: 100_000, maxSampleRateAfter: 100_000, cpuTimeMaxPercent: 25 };
  const report = reportPeriods(recordingOf([CPU_CLOCK], samples, { kernel }));
  const short = formatPeriods(report, { isWhole: false });
  expect(short.filter((line) => /stream|max_sample_rate/.test(line))).toEqual([]);
  expect(short).toContainEqual(expect.stringContaining('counted'));
  const whole = formatPeriods(report, { isWhole: true }).join('\n');
  expect(whole).toContain('stream  tid');
  expect(whole).toContain('kernel.perf_event_max_sample_rate 100 000 Hz before and after');
});

test('a sample rate limit lowered by the kernel is named', () => {
  const kernel = { maxSampleRate: 100_000, maxSampleRateAfter: 25_000, cpuTimeMaxPercent: 25 };
  expect(textOf(recordingOf([CYCLES], [], { kernel }))).toEqual([
    'cycles: no samples',
    '',
    'The kernel lowered kernel.perf_event_max_sample_rate from 100 000 to 25 000 Hz meanwhile.',
  ]);
});

test('control characters of an event name are escaped', () => {
  const hostile = { ...CYCLES, name: 'cycles\u001b[2J' };
  expect(textOf(recordingOf([hostile], []))).toEqual(['cycles\\x1b[2J: no samples']);
});

test('colour is only added when asked for, and changes no character of the text', () => {
  const report = reportPeriods(
    recordingOf(faultsAt(5000), fixtureSamples('page-faults-5000hz.tsv')),
  );
  const coloured = formatPeriods(report, { colour: true });
  expect(coloured.join('\n')).toContain('\u001b[32m');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is taken out.
  const plain = coloured.map((line) => line.replace(/\u001b\[\d+m/g, ''));
  expect(plain).toEqual(formatPeriods(report));
});

test('a few settled samples give no verdict for many short streams', () => {
  const steady = everyNs(200_000, repeat(100, 30));
  const short = Array.from({ length: 19 }, (_, k) =>
    everyNs(10_000, repeat(1, 10)).map((sample) => ({ ...sample, stream: k + 1, thread: k + 1 })),
  ).flat();
  const samples = [...steady, ...short].sort((a, b) => a.timeNs - b.timeNs);
  const input = recordingOf([PAGE_FAULTS], samples, { eventTotals: [9000] });
  const text = textOf(input);
  expect(text[0]).toBe('page-faults: 5 000 Hz asked, 220 samples');
  const ledger = text.findIndex((line) => line.startsWith('  ledger '));
  expect(text.slice(ledger, ledger + 2)).toEqual([
    '  ledger         9 000 events = 3 190 in samples + 5 810 after the last samples, or in streams',
    '                 without one',
  ]);
  expect(text.some((line) => line.includes('  advice         -c '))).toBe(false);
});
