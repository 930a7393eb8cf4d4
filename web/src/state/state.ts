import { KIND_GROUPS, type KindGroup } from '../../../src/formats/export/kind-group.ts';
import { DIFF_MEASURES, type DiffMeasure } from '../../../src/profile/analysis/diff-measure.ts';
import { FRAME_LEVELS, type FrameLevel } from '../../../src/profile/frame-level.ts';
import type { WeightKind } from '../../../src/profile/types.ts';

/**
 * The state of the page: one immutable value, of which every view is a function, and which the hash
 * of the address holds. Rows are those of the profile's tables, so a link means the same to whoever
 * opens the same profile.
 */
export type ViewState = {
  readonly tab: Tab;
  /** Row of the profile's events. */
  readonly event: number;
  readonly weight: WeightKind;
  /** The level of frames that is shown: `all` where `PageHead.frameLevels` is absent. */
  readonly frames: FrameLevel;

  /** Which samples: rows of the profile's threads, none: all; process, CPU, null: all. */
  readonly threads: readonly number[];
  readonly pid: number | null;
  readonly cpu: number | null;
  /** Milliseconds: samples in turns of an event loop that took as long or longer; null: all. */
  readonly inTurnsOver: number | null;
  /** Nanoseconds since the recording's start, the first moment in, the first out; null: all. */
  readonly range: Range | null;
  /** Samples whose innermost function is such code. */
  readonly group: KindGroup | null;
  /** While it is being recorded: the last seconds, which then are the range; `all`: it stands still. */
  readonly window: '10s' | '60s' | 'all';
  /** The time that the x axis of every picture of time spans; null: the whole recording. */
  readonly ruler: Range | null;

  /** The rows at the root of the trees. */
  readonly roots: 'comm' | 'thread' | 'process' | 'cpu' | 'none';
  /** Direction of the tree: from the outermost function inwards, or from where the weight was spent outwards. */
  readonly tree: 'callees' | 'callers';
  readonly shape: 'flame' | 'icicle';
  readonly sort: 'weight' | 'name' | 'time';
  /** The part of the flame graph's width that is in view, at whatever zoom; null: all of it. */
  readonly lens: LensSpan | null;
  /** `FrameKey`s from the outermost row to the one zoomed into; empty: not zoomed. */
  readonly zoom: readonly number[];
  readonly search: string;
  /** Position of the match of `search` that was gone to, the heaviest first; null: none was. */
  readonly match: number | null;
  /** Row of a function, of a DSO: only stacks with it, from it on. */
  readonly focus: number | null;
  readonly focusDso: number | null;
  /** Rows of functions and DSOs whose stacks are left out. */
  readonly hidden: readonly number[];
  readonly hiddenDsos: readonly number[];
  /** Rows of functions and DSOs whose frames are folded into their callers. */
  readonly mergedFuncs: readonly number[];
  readonly mergedDsos: readonly number[];
  /** Direct and indirect recursion as one frame. */
  readonly foldRecursion: boolean;
  /** Frames of packages and runtimes that only pass calls on are folded into their callers. */
  readonly foldPassing: boolean;
  /** The order in which these edits were made (`edits.ts`): `f12.h3.r`. */
  readonly editOrder: string;

  /** Row of the function whose callers, callees and source are shown. */
  readonly func: number | null;
  /** The weight that the list beside the views is ordered by. */
  readonly listBy: 'self' | 'total';
  /** The code of that function that the tab Source shows, and whether instructions show their bytes. */
  readonly code: 'source' | 'assembly' | 'both';
  readonly codeBytes: boolean;
  /** Row of the profile's strings: the file that the tab Source shows as a whole where `func` is null. */
  readonly sourceFile: number | null;
  readonly tableBy: 'function' | 'file' | 'dso' | 'thread';
  /** Column and direction: `self-`, `name+`. */
  readonly tableSort: string;
  readonly tableFilter: string;
  /** Column and direction of the changes between two recordings: `change-`. */
  readonly diffSort: string;
  /** How these are compared. */
  readonly diffBy: DiffMeasure;
  /** Rows of the call tree that are open (`tables/open-rows.ts`); empty: the heaviest path. */
  readonly treeOpen: string;

  /** Row of the groups that `groupByStream` makes; null: the event's largest. */
  readonly stream: number | null;
  /** The picture that the tab of time shows. */
  readonly timeView: 'chart' | 'heat';
  /** Nanoseconds that a column of the heat map is wide. */
  readonly heatColumnNs: number;
  /** Rows into which the heat map cuts a column. */
  readonly heatRows: number;

  /** Per cent of the height that the pane of the chosen function has; null: what the view above it leaves. */
  readonly pane: number | null;
  /** Rows that the tracks of threads take below the ruler; null: few. */
  readonly tracks: number | null;
  readonly theme: 'system' | 'light' | 'dark';
};

/** The width of everything in a `LensSpan`. */
export const LENS_WHOLE = 1e6;
/** The most rows that tracks may take. */
export const MOST_TRACK_ROWS = 40;

/** The highest pane. */
export const PANE_PERCENT = 90;

/** Millionths of the width of what is zoomed into. */
export type LensSpan = { readonly from: number; readonly to: number };

export type Range = { readonly fromNs: number; readonly toNs: number };

const TABS = ['flame', 'table', 'tree', 'time', 'period', 'source', 'diff'] as const;
export type Tab = (typeof TABS)[number];

export const DEFAULT_STATE: ViewState = {
  tab: 'flame',
  event: 0,
  weight: 'events',
  frames: 'all',
  threads: [],
  pid: null,
  cpu: null,
  inTurnsOver: null,
  range: null,
  group: null,
  window: 'all',
  ruler: null,
  roots: 'comm',
  tree: 'callees',
  shape: 'icicle',
  sort: 'weight',
  lens: null,
  zoom: [],
  search: '',
  match: null,
  focus: null,
  focusDso: null,
  hidden: [],
  hiddenDsos: [],
  mergedFuncs: [],
  mergedDsos: [],
  foldRecursion: false,
  foldPassing: false,
  editOrder: '',
  func: null,
  listBy: 'self',
  code: 'source',
  codeBytes: false,
  sourceFile: null,
  tableBy: 'function',
  tableSort: 'self-',
  tableFilter: '',
  diffSort: 'change-',
  diffBy: 'absolute',
  treeOpen: '',
  stream: null,
  timeView: 'chart',
  heatColumnNs: 1e9,
  heatRows: 50,
  pane: null,
  tracks: null,
  theme: 'system',
};

/** How a value stands in the hash; `read` gives undefined for what it can't be. */
type Codec<Value> = {
  readonly read: (text: string) => Value | undefined;
  readonly write: (value: Value) => string;
};

const text: Codec<string> = { read: (value) => value, write: (value) => value };
const flag: Codec<boolean> = {
  read: (value) => value === '1',
  write: (value) => (value ? '1' : '0'),
};
const row: Codec<number> = {
  read: (value) => (/^\d{1,10}$/.test(value) ? Number(value) : undefined),
  write: String,
};
const rowOrNone = orNone(row);
const rows: Codec<readonly number[]> = {
  read: (value) => (value === '' ? [] : allOf(value.split('.').map(row.read))),
  write: (value) => value.join('.'),
};
const nanos: Codec<number> = {
  read: (value) => (/^\d{1,15}$/.test(value) ? Number(value) : undefined),
  write: String,
};
const range: Codec<Range | null> = {
  read: (value) => {
    if (value === '') return null;
    const [fromNs, toNs] = value.split('-').map(nanos.read);
    if (fromNs === undefined || toNs === undefined || fromNs >= toNs) return undefined;
    return { fromNs, toNs };
  },
  write: (value) => (value ? `${Math.round(value.fromNs)}-${Math.round(value.toNs)}` : ''),
};

const lens: Codec<LensSpan | null> = {
  read: (value) => {
    const span = range.read(value);
    if (span === undefined || span === null) return span;
    return span.toNs > LENS_WHOLE ? undefined : { from: span.fromNs, to: span.toNs };
  },
  write: (value) => (value === null ? '' : `${value.from}-${value.to}`),
};

function oneOf<Value extends string>(...values: readonly Value[]): Codec<Value> {
  return { read: (value) => values.find((known) => known === value), write: (value) => value };
}

function orNone<Value>({ read, write }: Codec<Value>): Codec<Value | null> {
  return {
    read: (value) => (value === '' ? null : read(value)),
    write: (value) => (value === null ? '' : write(value)),
  };
}

function within(least: number, most: number): Codec<number> {
  return {
    read: (value) => {
      const number = nanos.read(value);
      return number !== undefined && number >= least && number <= most ? number : undefined;
    },
    write: String,
  };
}

const CODECS: { readonly [Key in keyof ViewState]: Codec<ViewState[Key]> } = {
  tab: oneOf(...TABS),
  event: row,
  weight: oneOf('samples', 'period', 'events', 'time', 'wall'),
  frames: oneOf(...FRAME_LEVELS),
  threads: rows,
  pid: rowOrNone,
  cpu: rowOrNone,
  inTurnsOver: rowOrNone,
  range,
  group: orNone(oneOf(...KIND_GROUPS)),
  window: oneOf('10s', '60s', 'all'),
  ruler: range,
  roots: oneOf('comm', 'thread', 'process', 'cpu', 'none'),
  tree: oneOf('callees', 'callers'),
  shape: oneOf('flame', 'icicle'),
  sort: oneOf('weight', 'name', 'time'),
  lens,
  zoom: rows,
  search: text,
  match: rowOrNone,
  focus: rowOrNone,
  focusDso: rowOrNone,
  hidden: rows,
  hiddenDsos: rows,
  mergedFuncs: rows,
  mergedDsos: rows,
  foldRecursion: flag,
  foldPassing: flag,
  editOrder: text,
  func: rowOrNone,
  listBy: oneOf('self', 'total'),
  code: oneOf('source', 'assembly', 'both'),
  codeBytes: flag,
  sourceFile: rowOrNone,
  tableBy: oneOf('function', 'file', 'dso', 'thread'),
  tableSort: text,
  tableFilter: text,
  diffSort: text,
  diffBy: oneOf(...DIFF_MEASURES),
  treeOpen: text,
  stream: rowOrNone,
  timeView: oneOf('chart', 'heat'),
  heatColumnNs: within(1e6, 1e11),
  heatRows: within(2, 200),
  pane: orNone(within(0, PANE_PERCENT)),
  tracks: orNone(within(1, MOST_TRACK_ROWS)),
  theme: oneOf('system', 'light', 'dark'),
};
const KEYS = Object.keys(CODECS) as (keyof ViewState)[];

/** Rows of the profile's tables: they mean what they meant only where the same version reads the same recording. */
const OF_ROWS: ReadonlySet<keyof ViewState> = new Set([
  'threads',
  'zoom',
  'focus',
  'focusDso',
  'hidden',
  'hiddenDsos',
  'mergedFuncs',
  'mergedDsos',
  'editOrder',
  'func',
  'sourceFile',
  'treeOpen',
  'stream',
]);
/** The name in the hash of what rows belong to. */
const ORIGIN = 'of';

/** A key's name in the hash: that of one thread was there before one could choose several. */
const nameOf = (key: keyof ViewState): string => (key === 'threads' ? 'thread' : key);

/**
 * `tab=time&event=1`: what differs from the default, always in the same order. Rows come with their `origin`,
 * a text without a meaning of its own; empty: they are anybody's.
 */
export function encodeState(
  state: ViewState,
  defaults: ViewState = DEFAULT_STATE,
  origin = '',
): string {
  const parameters = new URLSearchParams();
  let hasRows = false;
  for (const key of KEYS) {
    const codec = CODECS[key] as Codec<unknown>;
    const value = codec.write(state[key]);
    if (value === codec.write(defaults[key])) continue;
    parameters.set(nameOf(key), value);
    hasRows ||= OF_ROWS.has(key);
  }
  if (hasRows && origin !== '') parameters.set(ORIGIN, origin);
  return parameters.toString();
}

/** Whether the rows of a link are those of another recording, or of another version's tables. */
export function isForeignLink(hash: string, origin: string): boolean {
  const from = parametersOf(hash).get(ORIGIN);
  return origin !== '' && from !== null && from !== origin;
}

/**
 * Unknown names and values that can't be are as if they were not there: links come from anyone. So are rows of
 * another origin.
 */
export function decodeState(
  hash: string,
  defaults: ViewState = DEFAULT_STATE,
  origin = '',
): ViewState {
  const parameters = parametersOf(hash);
  const isForeign = isForeignLink(hash, origin);
  const decoded: Partial<Record<keyof ViewState, unknown>> = {};
  for (const key of KEYS) {
    const value = parameters.get(nameOf(key));
    if (value === null || (isForeign && OF_ROWS.has(key))) continue;
    const read = CODECS[key].read(value);
    if (read !== undefined) decoded[key] = read;
  }
  return { ...defaults, ...decoded } as ViewState;
}

function allOf(values: readonly (number | undefined)[]): number[] | undefined {
  return values.some((value) => value === undefined) ? undefined : (values as number[]);
}

function parametersOf(hash: string): URLSearchParams {
  return new URLSearchParams(hash.replace(/^#/, ''));
}
