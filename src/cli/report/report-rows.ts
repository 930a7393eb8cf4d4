import { NONE } from '../../base/brand.ts';
import { formatCount } from '../../base/numbers.ts';
import type { AskedOf } from '../../options/option.ts';
import type { REPORT } from '../../options/report.ts';
import type { Figures, FlatReport, TableName } from '../../profile/analysis/flat-report.ts';
import type { SampleSelection } from '../../profile/analysis/select/filter.ts';
import type { ShareInterval } from '../../profile/analysis/shares/share-steps.ts';
import { isKindOfCode } from '../../profile/frame-level.ts';
import { funcLabel } from '../../profile/func-label.ts';
import { lostFunc } from '../../profile/losses.ts';
import type { FuncIndex } from '../../profile/types.ts';
import type { Asked } from '../../questions/shares-by-key.ts';
import { reportThreads } from '../../questions/threads.ts';
import { thisRun } from '../shared/run.ts';
import type { TableFields } from './field-table.ts';
import type { TreeOrder } from './perf-flags.ts';
import type { PlainKey, SortOrder } from './sort-keys.ts';

export type ReportFlags = AskedOf<typeof REPORT> & { readonly treeOrder?: TreeOrder };

/** The part of an event that is shown, and how. */
export type View = {
  readonly order: SortOrder;
  readonly select: SampleSelection;
  readonly limits: Limits;
  /** `--children`, `--no-children`; null: neither. */
  readonly byTotal: boolean | null;
  /** `-F`, `-t`: columns of one's own; null: the usual table. */
  readonly fields: TableFields | null;
  readonly separator: string | null;
};

/** Smallest branch that the tree draws unless asked for less; the flat table is limited by rows. */
const DEFAULT_TREE_SHARE = 0.005;

/** One row of whichever table was asked for. */
export type Row = Figures & {
  readonly name: string;
  readonly dso: string;
  /** Row of `funcs`; in the table of functions alone. */
  readonly func?: FuncIndex;
};

/** The rows of the table that `sort` names, in the order of the report. */
export function rowsOfTable(asked: Asked, report: FlatReport, sort: PlainKey): Row[] {
  const { profile } = asked;
  const dsoName = (dso: number): string =>
    dso === NONE ? '[unknown]' : (profile.dsos[dso]?.name ?? '[unknown]');
  const lost = lostFunc(profile);
  const { funcs, strings } = profile;
  const isNowhere = (func: number): boolean =>
    func === lost || isKindOfCode(strings[funcs.name[func]], funcs.dso[func]);
  switch (sort) {
    case 'sym':
      return report.bySymbol.map((row) => ({
        ...row,
        name: funcLabel(profile, row.func),
        dso: isNowhere(row.func) ? '' : dsoName(profile.funcs.dso[row.func]),
      }));
    case 'dso':
      return report.byDso.map((row) => ({ ...row, name: dsoName(row.dso), dso: '' }));
    case 'thread':
      return reportThreads(asked).byThread.map((row) => {
        const { comm, pid, tid } = profile.threads[row.thread];
        return { ...row, name: `${comm} ${pid}/${tid}`, dso: '' };
      });
    case 'comm':
      return reportThreads(asked).byComm.map((row) => ({
        ...row,
        // Threads that neither a record nor /proc has named.
        name: profile.strings[row.comm] || '[unknown]',
        dso: '',
      }));
  }
}

/** The tables of a flat report that a key is about. */
export const TABLES: Record<PlainKey, readonly TableName[]> = {
  sym: ['bySymbol'],
  dso: ['byDso'],
  thread: [],
  comm: [],
};

/** Which rows of a table are shown. */
export type Limits = {
  /** Rows shown at most; infinite for all. */
  readonly rows: number;
  /** Rows and branches of less than this share are left out. */
  readonly leastShare: number;
  /** The table ends where rows cannot be told from nothing: nobody has asked for so many, or for so small ones. */
  readonly isUsual: boolean;
};

/** Rows of a tree where nobody has asked for more, or for smaller ones. */
const TREE_ROWS = 60;

export function limitsOf(
  flags: Pick<ReportFlags, 'json' | 'tree' | 'limit' | 'percentLimit'> & {
    readonly fields?: string;
    readonly fieldSeparator?: string;
  },
): Limits {
  // A document for a program is whole; a table on a screen is as long as one reads.
  const { limit: asked, percentLimit: askedShare } = flags;
  const usual = flags.tree ? (askedShare === undefined ? TREE_ROWS : 0) : thisRun().usualRows;
  const defaultRows = flags.json ? 0 : usual;
  const defaultShare = flags.tree && !flags.json ? DEFAULT_TREE_SHARE : 0;
  const { limit = defaultRows, percentLimit = defaultShare } = flags;
  const chosen = [asked, askedShare, flags.fields, flags.fieldSeparator];
  return {
    rows: limit === 0 ? Number.POSITIVE_INFINITY : limit,
    leastShare: percentLimit,
    isUsual: flags.json !== true && chosen.every((each) => each === undefined),
  };
}

/** Samples up to which a row may be chance whatever its interval says. */
const CHANCE_SAMPLES = 3;
/** Rows of a table that are shown though every one may be chance; a table of no more is shown whole. */
export const CHANCE_ROWS = 5;

/** Smallest share that is printed as more than 0. */
const LEAST_PRINTED_SHARE = 0.00005;

/** Whether a row has nothing, or another recording may well have nothing in it. Without an interval shares are certain. */
function mayBeNothing(share: number, interval: ShareInterval | undefined, samples: number) {
  if (share < LEAST_PRINTED_SHARE) return true;
  if (interval === undefined || interval.low === interval.high) return false;
  // Losses have no samples.
  if (samples === 0) return false;
  return samples <= CHANCE_SAMPLES || share <= (interval.high - interval.low) / 2;
}

/** The rows to show, which are in the order of their totals or selfs, and a line for those that are not. */
export function selectRows<R extends { readonly totalShare: number } & Partial<Figures>>(
  all: readonly R[],
  limits: Limits,
  byTotal = false,
): { rows: R[]; rest: string[] } {
  const large = all.filter((row) => row.totalShare >= limits.leastShare);
  const isShown = ({ selfShare, selfSamples = 0, selfInterval, ...row }: R): boolean =>
    byTotal || selfShare === undefined
      ? !mayBeNothing(row.totalShare, row.totalInterval, Number.POSITIVE_INFINITY)
      : !mayBeNothing(selfShare, selfInterval, selfSamples);
  const isShort = large.length <= CHANCE_ROWS;
  const shown = limits.isUsual && !isShort ? large.filter(isShown) : large;
  const rows = shown.length === 0 ? large.slice(0, CHANCE_ROWS) : shown.slice(0, limits.rows);
  return { rows, rest: restLines(all.length - rows.length, all.length - large.length, limits) };
}

/** `row` or `rows`. */
export function rowWord(rows: number): string {
  return rows === 1 ? 'row' : 'rows';
}

/** A line on rows that are not shown, of which some are `small`. */
function restLines(hidden: number, small: number, { leastShare, isUsual }: Limits): string[] {
  if (hidden === 0) return [];
  const why =
    small === hidden
      ? ` below ${leastShare * 100}%`
      : isUsual
        ? ', small or not to be told from nothing (-n 0 shows all)'
        : ' (-n 0 shows all)';
  return [`… ${formatCount(hidden)} more ${rowWord(hidden)}${why}`];
}

/** `--children`: by total. */
export function inOrder(rows: readonly Row[], { byTotal }: View): readonly Row[] {
  return byTotal === true ? rows.toSorted((a, b) => b.total - a.total) : rows;
}
