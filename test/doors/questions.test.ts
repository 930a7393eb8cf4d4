// Each question of src/questions, asked of one recording at every door that has it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ByteWriter } from '../../src/base/byte-writer.ts';
import { formatCount, formatShare } from '../../src/base/numbers.ts';
import { encodePageData } from '../../src/formats/export/page-data.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_FORMAT, PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import type { PeriodsReport } from '../../src/period/report/report.ts';
import { type OpenedProfile, openProfile } from '../../src/read/open-profile.ts';
import { describePageProfile } from '../../src/read/outputs/describe-page-profile.ts';
import { describePageReport } from '../../src/read/outputs/describe-page-report.ts';
import type { TreeIntervals, TreeResult } from '../../web/src/worker/messages/messages.ts';
import { cleanEnvironment, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { type Answers, createAnswers } from '../helpers/page-answers.ts';
import { perfDataFile, record } from '../helpers/record-builder.ts';
import { TRACKS, WHOLE } from '../helpers/selections.ts';

const NS_PER_SECOND = 1e9;
const scratch = scratchDirectory();
const TABLE = {
  ...WHOLE,
  weight: 'events',
  sort: 'self',
  descending: true,
  filter: '',
  intervals: true,
  first: 0,
  count: 10,
} as const;

/** Three threads of two names that call `work` from two places for three seconds, as a text of perf script. */
function callsFile(): string {
  const stacks = [
    ['leaf', 'work', 'main'],
    ['work', 'main'],
    ['read', 'work', 'idle', 'main'],
    ['idle', 'main'],
    ['leaf', 'work', 'work', 'main'],
  ];
  const lines: string[] = [];
  for (let at = 0; at < 60; at++) {
    const tid = [10, 11, 20][at % 3];
    const comm = tid === 20 ? 'gzip' : 'node';
    const time = (1 + at * 0.045).toFixed(6);
    lines.push(`${comm} ${tid === 20 ? 20 : 10}/${tid} [000] ${time}: ${100 + (at % 7)} cycles: `);
    for (const name of stacks[(at * at + at) % stacks.length]) {
      lines.push(`\t${(0x1000 + 0x100 * name.length).toString(16)} ${name}+0x0 (/usr/bin/app)`);
    }
    lines.push('');
  }
  const file = join(scratch, 'calls.txt');
  writeFileSync(file, lines.join('\n'));
  return file;
}

/** A recording of two threads at a rate, some of whose samples were lost. */
function lossyFile(): string {
  const { IDENTIFIER, IP, TID, TIME, PERIOD, READ } = PERF_SAMPLE;
  const attr = newAttr({
    samplePeriod: 1000,
    sampleType: IDENTIFIER | IP | TID | TIME | PERIOD | READ,
    readFormat: PERF_FORMAT.ID,
    flags: { sampleIdAll: true, freq: true },
  });
  const records: Uint8Array[] = [];
  const counted = [0, 0];
  for (let at = 0; at < 400; at++) {
    const id = at % 4 === 0 ? 6 : 5;
    const time = 1000 + at * 1_000_000;
    const period = Math.round(Math.min(50_000, 2 ** Math.min(20, 1 + at / 10))) + (at % 5);
    counted[id - 5] += period;
    records.push(
      record(PERF_RECORD.SAMPLE, 2, (out) => {
        out
          .u64(id)
          .u64(0x1000 + at)
          .u32(10)
          .u32(5 + id)
          .u64(time);
        out
          .u64(period)
          .u64(counted[id - 5])
          .u64(id);
      }),
    );
    if (at !== 201) continue;
    counted[0] += 25 * 50_000;
    records.push(
      record(PERF_RECORD.LOST, 0, (out) =>
        out
          .u64(5)
          .u64(25)
          .u32(10)
          .u32(10)
          .u64(time + 1)
          .u64(5),
      ),
    );
  }
  const host = new ByteWriter(true).u32(8).text('host').zeros(4).finish();
  const file = join(scratch, 'lossy.data');
  writeFileSync(
    file,
    perfDataFile({ attrs: [{ attr, ids: [5, 6] }], records, features: [[3, host]] }),
  );
  return file;
}

type Row = Readonly<Record<string, never>>;

function json(...args: readonly string[]) {
  const { stdout, stderr, status } = perfTs([...args, '--json']);
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

function query(...args: readonly string[]): Row[] {
  return json('query', ...args).rows;
}

function mcp(tool: string, input: object): string {
  const { stdout, stderr, status } = perfTs(['mcp', '--md', `${tool} ${JSON.stringify(input)}`]);
  expect(status, stderr).toBe(0);
  return stdout;
}

async function openPage(opened: OpenedProfile): Promise<Answers> {
  const answers = createAnswers();
  answers.open({ slot: 0, side: 'here', bytes: encodePageData(describePageProfile(opened)) });
  return answers;
}

/** The rows directly below the root of a tree that is zoomed into a function. */
function rowsOf({ rows, labels, weight }: TreeResult, { low, high }: TreeIntervals) {
  return [...rows.prefix.keys()]
    .filter((row) => rows.prefix[row] === -1)
    .map((row) => ({
      name: labels.name[rows.label[row]],
      share: rows.total[row] / weight,
      low: low[row],
      high: high[row],
      samples: rows.samples[row],
    }));
}

describe('a recording of calls', () => {
  let file: string;
  let opened: OpenedProfile;
  let page: Answers;
  beforeAll(async () => {
    file = callsFile();
    opened = await openProfile(file);
    page = await openPage(opened);
  });

  test.each(['callers', 'callees'] as const)('%s are the same at all doors', (side) => {
    const asked = query(side, file, '--func', 'work').map((row) => ({
      name: row[side === 'callers' ? 'caller' : 'callee'],
      share: row.share,
      low: row.low,
      high: row.high,
      samples: row.samples,
    }));
    expect(asked.length).toBeGreaterThan(1);
    const func = opened.report().bySymbol.find((row) => opened.nameOf(row.func) === 'work')!.func;
    const found = page.sandwich({ ...WHOLE, weight: 'events', func, search: '' });
    const drawn =
      side === 'callers'
        ? rowsOf(found.callers, found.callerIntervals)
        : rowsOf(found.callees, found.calleeIntervals);
    // The function itself is the root of the page's tree, and no row below it.
    const functions = asked.filter(({ name }) => name !== '[self]');
    expect(drawn).toEqual(functions);
    const details = page.details({ ...WHOLE, weight: 'events', func })!;
    expect(
      details[side].map(({ name, weight }) => ({ name, share: weight / details.weight })),
    ).toEqual(asked.map(({ name, share }) => ({ name, share })));
    const answer = mcp('callers_callees', { file, func: 'work', side });
    for (const { name, share } of asked) {
      expect(answer).toMatch(new RegExp(`${formatShare(share)}.*\`${name}\``.replace('[', '\\[')));
    }
  });

  test('threads are the same at all doors', () => {
    const rows = query('threads', file);
    const figures = (tid: number, share: number, low: number, high: number, samples: number) => ({
      ...{ tid, share, low, high, samples },
    });
    const asked = rows.map((row) => figures(row.tid, row.share, row.low, row.high, row.samples));
    expect(asked).toHaveLength(3);
    const library = opened.report().byThread.map((row) => {
      const { low, high } = row.selfInterval!;
      return figures(
        opened.profile.threads[row.thread].tid,
        row.selfShare,
        low,
        high,
        row.selfSamples,
      );
    });
    expect(library).toEqual(asked);
    const [event] = json('report', file, '--sort', 'thread').events;
    expect(
      event.rows.map(({ name, selfShare, selfLow, selfHigh, samples }: Record<string, never>) =>
        figures(Number(String(name).split('/')[1]), selfShare, selfLow, selfHigh, samples),
      ),
    ).toEqual(asked);
    const table = page.table({ ...TABLE, by: 'thread' }).rows.map((row) => {
      const { low, high } = row.selfInterval!;
      return figures(opened.profile.threads[row.index].tid, row.selfShare, low, high, row.samples);
    });
    expect(table).toEqual(asked);
    const grid = { firstNs: 0, cellNs: NS_PER_SECOND, length: 10 };
    const { tracks } = page.tracks({ ...TRACKS, weight: 'events', grid });
    expect(tracks.map(({ weight }) => weight)).toEqual(rows.map(({ weight }) => weight));
  });

  test('seconds of the timeline are the same at all doors', () => {
    const rows = query('timeline', file, '--limit', '100');
    const seconds = [...new Set(rows.map(({ second }) => Number(second)))];
    expect(seconds).toEqual([0, 1, 2]);
    const grid = { firstNs: 0, cellNs: NS_PER_SECOND, length: 3 };
    const { tracks } = page.tracks({ ...TRACKS, weight: 'events', grid });
    for (const second of seconds) {
      const asked = rows
        .filter((row) => row.second === second)
        .map((row) => ({ name: row.func, share: row.share, low: row.low, high: row.high }));
      const fromNs = second * NS_PER_SECOND;
      const select = { fromNs, toNs: fromNs + NS_PER_SECOND };
      const shown = page.table({ ...TABLE, ...select, by: 'function' }).rows;
      expect(
        shown
          .filter(({ self }) => self > 0)
          .map(({ name, selfShare, selfInterval }) => ({
            name,
            share: selfShare,
            ...selfInterval,
          })),
      ).toEqual(asked);
      // On the recording's clock, which was at 1 s then.
      const times = `${1 + second},${1 + second + 0.999999999}`;
      const [event] = json('report', file, '--time', times).events;
      const reported = event.rows.filter(({ self }: { self: number }) => self > 0);
      expect(
        reported.map(({ name, selfShare, selfLow, selfHigh }: Record<string, never>) => ({
          name,
          share: selfShare,
          ...{ low: selfLow, high: selfHigh },
        })),
      ).toEqual(asked);
      const drawn = tracks.reduce(
        (sum, { groups }) =>
          sum + groups.reduce((all, value, at) => (at % 3 === second ? all + value : all), 0),
        0,
      );
      const weight = rows.reduce((sum, row) => (row.second === second ? sum + row.weight : sum), 0);
      expect(drawn).toBeCloseTo(weight, 3);
    }
  });
});

describe('a recording with losses', () => {
  let file: string;
  let opened: OpenedProfile;
  let report: PeriodsReport;
  beforeAll(async () => {
    file = lossyFile();
    opened = await openProfile(file);
    report = json('periods', file, '--streams', 'all');
  });

  test('periods of streams are the same at all doors', async () => {
    const rows = query('periods', file);
    const asked = rows.map((row) => [
      row.stream_id,
      row.verdict,
      row.samples,
      row.settle_samples,
      row.hz,
    ]);
    expect(asked).toHaveLength(2);
    const figures = ({ streams }: PeriodsReport['events'][number]) =>
      streams.map((stream) => [
        ...[stream.streamId, stream.verdict, stream.samples],
        ...[stream.settleSamples, stream.steady?.hz ?? null],
      ]);
    expect(figures(report.events[0])).toEqual(asked);
    expect(figures(opened.periods({ streams: 'all' }).events[0])).toEqual(asked);
    expect(figures(describePageReport(opened).periods.events[0])).toEqual(asked);
    const page = await openPage(opened);
    const { streams } = page.period({ event: 0, stream: null, fromNs: null, toNs: null });
    const shown = streams.map(({ stream }) => {
      const params = { event: 0, stream, fromNs: null, toNs: null };
      return page.period(params).shown!.report;
    });
    expect(figures({ ...report.events[0], streams: shown })).toEqual(asked);
  });

  test('the ledger is the same at all doors', () => {
    const [row] = query('ledger', file);
    expect(row).toMatchObject({ samples: 400, lost_samples: 25 });
    const [{ ledger }] = report.events;
    expect(ledger).toMatchObject({
      samples: row.samples,
      lostSamples: row.lost_samples,
      coverage: row.coverage,
    });
    expect(describePageReport(opened).periods.events[0].ledger).toEqual(ledger);
    const [event] = json('report', file).events;
    expect([event.samples, event.total, event.lost]).toEqual([
      row.samples,
      row.weight,
      row.lost_samples,
    ]);
    expect(opened.report()).toMatchObject({ weight: row.weight, lost: row.lost });
    const arrived = `${formatCount(row.lost_samples)}, ${formatShare(row.coverage)} arrived`;
    expect(mcp('open', { file })).toContain(arrived);
    const { low, high } = opened
      .report()
      .bySymbol.find(({ func }) => opened.nameOf(func) === '[lost]')!.selfInterval!;
    const share = (part: number) => part / (row.weight - row.lost + part);
    expect(row.lost).toBeGreaterThan(0);
    expect([low, high]).toEqual([share(row.lost_low), share(row.lost_high)]);
  });
});

test('questions by name about files are answered where no engine is installed', () => {
  const hiding = join(scratch, 'hide-engine.cjs');
  writeFileSync(
    hiding,
    `const Module = require('node:module');
    const load = Module._load;
    Module._load = function (name, ...rest) {
      if (name !== '@duckdb/node-api') return load.call(this, name, ...rest);
      throw Object.assign(new Error(name), { code: 'MODULE_NOT_FOUND' });
    };`,
  );
  const env = { ...cleanEnvironment(), NODE_OPTIONS: `--require=${hiding}` };
  const file = callsFile();
  const own = perfTs(['query', 'select 1', file], { env });
  expect(own.stderr).toContain('the query engine is not installed');
  const ofFunction = ['callers', 'callees', 'lines'].map((verb) => [verb, file, '--func', 'work']);
  const ofAll = ['top', 'timeline', 'threads', 'periods', 'ledger'].map((verb) => [verb, file]);
  for (const words of [...ofAll, ...ofFunction]) {
    const { status, stdout, stderr } = perfTs(['query', ...words, '--json'], { env });
    expect([words[0], status, stderr]).toEqual([words[0], 0, '']);
    expect(JSON.parse(stdout).rows.length, words[0]).toBeGreaterThan(0);
  }
});
