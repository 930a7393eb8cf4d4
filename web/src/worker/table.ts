import { NONE } from '../../../src/base/brand.ts';
import {
  computeFlatReport,
  type Figures,
  type FlatReport,
  type WantedIntervals,
} from '../../../src/profile/flat-report.ts';
import type { Profile } from '../../../src/profile/types.ts';
import { parseQuery } from '../search.ts';
import type { TableKey, TableParams, TableResult, TableRow } from './messages.ts';
import type { Selected } from './selected.ts';

/** Rows of one table before they are sorted and filtered; the same for one selection. */
export type WholeTable = {
  readonly rows: readonly TableRow[];
  readonly report: FlatReport;
};

export function computeTable(selected: Selected, by: TableKey): WholeTable {
  const { recording, weights, samples, estimator } = selected;
  const profile = maskOthers(by === 'file' ? byFile(selected.profile) : selected.profile, samples);
  const wanted: WantedIntervals | undefined =
    estimator === null ? undefined : { estimator, tables: [TABLES[by]], totals: true };
  const report = computeFlatReport(profile, weights, samples, wanted);
  const rows = report[TABLES[by]].map((row) => {
    const index =
      'func' in row ? row.func : 'dso' in row ? row.dso : 'thread' in row ? row.thread : NONE;
    return { ...figures(row), ...nameRow(index) };
  });
  return { rows, report };

  function nameRow(index: number): Pick<TableRow, 'index' | 'name' | 'kind' | 'dso' | 'place'> {
    const { dsos, strings, threads } = recording.profile;
    switch (by) {
      case 'function':
        return {
          index,
          name: recording.funcName[index] as string,
          kind: recording.kindOf(index),
          dso: recording.dsoPathOf(index),
          place: recording.placeOf(index),
        };
      case 'dso': {
        const dso = dsos[index];
        const name = dso?.name ?? '[unknown]';
        return { index, name, kind: 'unknown', dso: dso?.path ?? '', place: '' };
      }
      case 'file': {
        const name = index === NONE ? '[unknown]' : (strings[index] as string);
        return { index, name, kind: 'unknown', dso: '', place: '' };
      }
      case 'thread': {
        const { comm, pid, tid } = threads[index]!;
        const name = `${comm || '[unknown]'} ${pid}/${tid}`;
        return { index, name, kind: 'root', dso: '', place: '' };
      }
    }
  }
}

const TABLES = {
  function: 'bySymbol',
  file: 'byDso',
  dso: 'byDso',
  thread: 'byThread',
} as const;

/** Files in the place of DSOs, so that the table by DSO is one by file. */
function byFile(profile: Profile): Profile {
  const dsos = profile.strings.map((path) => ({
    kind: 'unknown' as const,
    name: path,
    path,
    buildId: null,
  }));
  return { ...profile, dsos, funcs: { ...profile.funcs, dso: profile.funcs.file } };
}

/** Samples that are not selected are in no category, so they must not add to its uncertainty. */
function maskOthers(profile: Profile, samples: Int32Array): Profile {
  if (samples.length === profile.samples.length) return profile;
  const stack = new Int32Array(profile.samples.length).fill(NONE);
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i] as number;
    stack[sample] = profile.samples.stack[sample] as number;
  }
  return { ...profile, samples: { ...profile.samples, stack } };
}

function figures(row: Figures) {
  return {
    self: row.self,
    total: row.total,
    selfShare: row.selfShare,
    totalShare: row.totalShare,
    samples: row.selfSamples,
    selfInterval: row.selfInterval ?? null,
    totalInterval: row.totalInterval ?? null,
  };
}

/** The rows that the page shows of a table. */
export function pageOfTable(
  { rows, report }: WholeTable,
  selected: Selected,
  { sort, descending, filter, first, count }: TableParams,
): TableResult {
  const query = parseQuery(filter);
  const admitted = rows.filter(
    ({ name, dso, place }) =>
      query === null || query.matches(name) || query.matches(dso) || query.matches(place),
  );
  const sign = descending ? -1 : 1;
  const sorted = admitted.toSorted((a, b) =>
    sort === 'name'
      ? sign * (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
      : sign * (a[sort] - b[sort]) || b.total - a.total || b.self - a.self,
  );
  return {
    rows: sorted.slice(first, first + count),
    length: admitted.length,
    weight: report.weight,
    samples: report.samples,
    unit: selected.weights.unit,
  };
}
