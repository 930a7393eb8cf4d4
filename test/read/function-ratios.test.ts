import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ratioSection } from '../../src/cli/report/ratio-section.ts';
import { reportDocument } from '../../src/cli/report/report.ts';
import { parseSort } from '../../src/cli/report/sort-keys.ts';
import { encodePageData } from '../../src/formats/export/page-data.ts';
import { tableColumns } from '../../src/formats/tables/schema.ts';
import type { EventIndex } from '../../src/profile/types.ts';
import { type OpenedProfile, openProfile } from '../../src/read/open-profile.ts';
import { describePageProfile } from '../../src/read/outputs/describe-page-profile.ts';
import { functionRatios } from '../../src/read/outputs/function-ratios.ts';
import { recordingTables } from '../../src/read/outputs/recording-tables.ts';
import { perfTools } from '../../src/tools/mcp/tools.ts';
import { createAnswers } from '../helpers/page-answers.ts';
import { WHOLE } from '../helpers/selections.ts';

const FILE = join(import.meta.dirname, 'fixtures/arm64-group.data');

/** What the program counted around its functions (fixtures/README.md). */
const EXACT = {
  compute: 1,
  wait_little: 43_801_351 / 112_969_848,
  wait_much: 10_080_833 / 55_206_657,
};

/** A function's instructions per cycle with their interval. */
type Shown = { value: number | null; low: number | null; high: number | null };

const VIEW = {
  order: parseSort('sym'),
  select: {},
  limits: { rows: Number.POSITIVE_INFINITY, leastShare: 0, isUsual: false },
  byTotal: null,
  fields: null,
  separator: null,
};

let opened: OpenedProfile;
beforeAll(async () => {
  opened = await openProfile(FILE);
});

function fromCore(scope: 'self' | 'total' = 'self'): Map<string, Shown> {
  const found = functionRatios(opened);
  return new Map(
    found?.funcs.map((func) => {
      const { value, low, high } = found[scope][0][func];
      return [opened.nameOf(func), { value, low, high }];
    }),
  );
}

describe('instructions per cycle of functions, of which the program counted its own', () => {
  it('instructions per cycle are in their intervals', () => {
    const core = fromCore();
    for (const [name, exact] of Object.entries(EXACT)) {
      const { low, high } = core.get(name) as { low: number; high: number };
      expect(low).toBeLessThanOrEqual(exact);
      expect(high).toBeGreaterThanOrEqual(exact);
      expect(high - low).toBeLessThan(0.2);
    }
  });

  it('instructions per cycle of the recording are what stat would print of it', () => {
    const [ratio] = functionRatios(opened)?.ratios ?? [];
    expect(ratio).toMatchObject({ name: 'ipc', part: 1, whole: 0, per: 1 });
    const exact = (87_867_782 + 43_801_351 + 10_080_833) / (87_867_782 + 112_969_848 + 55_206_657);
    expect(ratio.ofAll).toBeCloseTo(exact, 2);
  });

  it('instructions per cycle are unknown for functions with a few samples', () => {
    const found = functionRatios(opened);
    const start = found?.funcs.find((func) => opened.nameOf(func) === '_start') as number;
    expect(found?.self[0][start]).toEqual({ value: null, low: null, high: null, reason: 'few' });
  });

  it('instructions per cycle have a table in report', () => {
    const options = { keys: ['dso', 'sym'] as const, select: {}, byTotal: null };
    const [{ above, table }] = ratioSection(opened, options, { sort: 'sym' }, VIEW);
    expect(above).toEqual([
      '# in all: 0.55 insn per cycle',
      '# unknown in 4 rows: too few samples in a row',
    ]);
    expect(table.slice(0, 4)).toEqual([
      'cycles:u  insn per cycle  95% interval  file    function',
      '  46.06%            0.37     0.30–0.41  ratios  wait_little',
      '  32.26%            1.00     0.87–1.04  ratios  compute',
      '  21.66%            0.17     0.06–0.21  ratios  wait_much',
    ]);
  });

  it('instructions per cycle are absent in report of one event, of other weights, or as a tree', () => {
    const options = { keys: ['dso', 'sym'] as const, select: {}, byTotal: null };
    for (const flags of [{ event: 'cycles:u' }, { weight: 'samples' as const }, { tree: true }]) {
      expect(ratioSection(opened, options, { sort: 'sym', ...flags }, VIEW)).toEqual([]);
    }
  });

  it('instructions per cycle are the same in the documents of report', () => {
    const events = [0, 1] as EventIndex[];
    const { ratios } = reportDocument(opened, events, { sort: 'sym', json: true }, VIEW);
    expect(ratios).toMatchObject([
      { metric: 'ipc', part: 'instructions:u', whole: 'cycles:u', per: 1, isOfGroup: true },
    ]);
    const rows = ratios[0].rows as {
      name: string;
      self: number;
      selfLow: number;
      selfHigh: number;
    }[];
    const document = new Map(
      rows.map(({ name, self, selfLow, selfHigh }) => [
        name,
        { value: self, low: selfLow, high: selfHigh },
      ]),
    );
    expect(document).toEqual(fromCore());
  });

  it('instructions per cycle are the same by symbol alone, as --sort makes the rows', () => {
    const view = { ...VIEW, order: parseSort('sym,dso') };
    const { ratios } = reportDocument(opened, [], { sort: 'sym,dso', json: true }, view);
    const rows = ratios[0].rows as { sym: string; self: number | null }[];
    const core = fromCore();
    expect(rows.length).toBe(core.size);
    for (const { sym, self } of rows) expect(self).toBe(core.get(sym)?.value);
  });

  it('instructions per cycle are the same in SQL', () => {
    const { length, columns } = recordingTables(opened, { name: 'r' }).ratios;
    const column = (name: string) =>
      columns[tableColumns('ratios').findIndex((known) => known.name === name) - 1];
    const table = new Map(
      Array.from({ length }, (_, row) => [
        column('func')[row],
        {
          value: column('self')[row],
          low: column('self_low')[row],
          high: column('self_high')[row],
        },
      ]),
    );
    expect(table).toEqual(fromCore());
    expect([column('metric')[0], column('event')[0], column('per_event')[0]]).toEqual([
      'ipc',
      'instructions:u',
      'cycles:u',
    ]);
  });

  it.each(['self', 'total'] as const)(
    'instructions per cycle are the same on the page, by function, sorted by %s',
    (sort) => {
      const answers = createAnswers();
      answers.open({ slot: 0, side: 'here', bytes: encodePageData(describePageProfile(opened)) });
      const { ratios, ratioScope, rows } = answers.table({
        ...WHOLE,
        weight: 'events',
        by: 'function',
        sort,
        descending: true,
        filter: '',
        intervals: true,
        first: 0,
        count: 100,
      });
      expect(ratios).toEqual([{ name: 'ipc', event: 'instructions:u' }]);
      expect(ratioScope).toBe(sort);
      const page = new Map(
        rows.map(({ name, ratios: [{ value, low, high }] }) => [name, { value, low, high }]),
      );
      const core = fromCore(sort);
      for (const [name, shown] of page) expect(shown).toEqual(core.get(name));
      expect(page.size).toBeGreaterThan(3);
    },
  );

  it('instructions per cycle stand alongside the shares for assistants', async () => {
    const top = perfTools(async () => opened).find(({ name }) => name === 'top');
    const text = String(await top?.answer({ file: FILE }));
    expect(text).toContain('`insn per cycle`');
    expect(text).toMatch(/`wait_little` .*\| 0\.37 \(0\.30–0\.41\) \|/);
    expect(text).toMatch(/`_start` .*\| unknown \|/);
  });

  it('instructions per cycle of a selection are those of its samples', () => {
    const { timeNs, length } = opened.profile.samples;
    const middle = (timeNs[0] + timeNs[length - 1]) / 2;
    const half = functionRatios(opened, { fromNs: middle });
    const whole = functionRatios(opened);
    expect(half?.ratios[0].ofAll).not.toBe(whole?.ratios[0].ofAll);
    const compute = whole?.funcs.find((func) => opened.nameOf(func) === 'compute') as number;
    expect(half?.self[0][compute].value).toBe(1);
  });
});

describe("an event that its group's leader reads", () => {
  const MEMBER = 1 as EventIndex;

  it("an event that its group's leader reads has no intervals of shares, which would be wrong with certainty", () => {
    expect(opened.shareEstimator(opened.weights('events', MEMBER), MEMBER)).toBeNull();
    const { events } = reportDocument(opened, [MEMBER], { sort: 'sym', json: true }, VIEW);
    const [{ rows }] = events;
    const waits = rows.find((row) => 'name' in row && row.name === 'wait_much') as {
      selfShare: number;
      selfLow?: number;
    };
    // The program counted a fourteenth of its instructions there.
    expect(waits.selfShare).toBeGreaterThan(1.1 / 14);
    expect(waits.selfLow).toBeUndefined();
  });

  it('a reader of shares is notified of it', async () => {
    const doubt = opened.weightDoubt(MEMBER);
    expect(doubt).toMatch(/^counted where samples of cycles:u fell: /);
    expect(opened.weightDoubt(0 as EventIndex)).toBeNull();
    const { events } = recordingTables(opened, { name: 'r' });
    const column = tableColumns('events').findIndex(({ name }) => name === 'rule_doubt') - 1;
    expect(events.columns[column]).toEqual([null, doubt]);
    const top = perfTools(async () => opened).find(({ name }) => name === 'top');
    expect(await top?.answer({ file: FILE, event: 'instructions:u' })).toContain(doubt);
  });
});
