import { printable } from '../../base/printable.ts';
import { judgeRun } from '../../findings/judge-run.ts';
import type { GroupKey } from '../../profile/analysis/group-keys.ts';
import type { TopRow } from '../../tools/top/share-sums.ts';
import type { SliceTableKey } from '../../tools/top/slice-tables.ts';
import type { TopReport } from '../../tools/top/top-options.ts';
import { jsonName } from '../report/grouped-report.ts';
import { selectRows } from '../report/report-rows.ts';
import { figuresJson } from '../shared/figures-json.ts';
import { writeOut, writeText } from '../shared/stdout.ts';
import type { TopShown } from './top-shown.ts';
import { headOf, tableLines, unsureRows } from './top-text.ts';

/** Lines of a file may be as long as they need. */
const FILE_COLUMNS = 10_000;

/** A table, or a line of JSON, at each interval. */
export async function printBatches({ top, tables, look, asked }: TopShown): Promise<void> {
  for await (const report of top.reports()) {
    if (asked.json) {
      writeOut(`${JSON.stringify(topDocument(report, { tables, look }))}\n`);
      continue;
    }
    for (const event of report.events) {
      const { rows: all, effectiveSamples } = event.table(tables[0]);
      const isUsual = asked.rows === undefined;
      const { rows, rest } = selectRows(all, { rows: look.rows, leastShare: 0, isUsual });
      const unsure = unsureRows(all, effectiveSamples);
      const wide = { ...look, columns: FILE_COLUMNS, lines: 0 };
      const lines = [
        ...headOf(report, event).map((line) => `# ${line}`),
        ...(rows.length > 0 ? tableLines(rows, tables[0], wide, unsure) : []),
        ...rest,
        ...(unsure.size > 0 ? ['# ~ the order of these rows is not certain yet'] : []),
      ];
      writeText(`${lines.join('\n')}\n\n`);
    }
  }
}

/** Keys of the names of rows, in the order of these; those of `grouped` are the keys that were asked for. */
const KEYS: { readonly [table in SliceTableKey]?: readonly (keyof RowNames)[] } = {
  sym: ['dso', 'symbol'],
  dso: ['dso'],
  comm: ['comm'],
  thread: ['comm', 'pid', 'tid'],
};

/** Values that tell the row from others, by their keys. */
type RowNames = {
  readonly [key in Exclude<GroupKey, 'sym'> | 'symbol']?: string | number | null;
};

/** One report, schema `perf-ts/top@1`: numbers are numbers, shares 0…1, times in seconds. */
export function topDocument(
  report: TopReport,
  { tables, look }: Pick<TopShown, 'tables' | 'look'>,
) {
  const [of] = tables;
  const titles = KEYS[of] ?? look.keys.map((key) => (key === 'sym' ? 'symbol' : key));
  const nameJson = ({ names }: TopRow): RowNames =>
    Object.fromEntries(titles.map((title, i) => [title, jsonName(title, names[i])]));
  return {
    schema: 'perf-ts/top@1' as const,
    elapsed: report.elapsedMs / 1000,
    shown: report.shownMs / 1000,
    isWindow: report.isWindow,
    isLast: report.isLast,
    cpus: report.cpus,
    samples: report.samples,
    lost: report.lost,
    lostSideband: report.lostSideband,
    lostNow: report.lostNow,
    throttled: report.throttles,
    findings: judgeRun(report),
    ownCpu: report.ownCpu,
    events: report.events.map((event) => {
      const table = event.table(of);
      return {
        event: printable(event.name),
        unit: event.unit,
        samplesPerSecond: event.rateHz,
        ownShare: event.ownShare,
        samples: table.samples,
        effectiveSamples: table.effectiveSamples,
        total: table.weight,
        rows: table.rows
          .slice(0, look.rows)
          .map((row) => ({ ...nameJson(row), ...figuresJson(row) })),
      };
    }),
  };
}
