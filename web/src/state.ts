import { FRAME_LEVELS, type FrameLevel } from '../../src/profile/frame-level.ts';
import type { WeightKind } from '../../src/profile/types.ts';

/**
 * What the page shows: one immutable value, of which every view is a function, and which the hash
 * of the address holds. Rows are those of the profile's tables, so a link means the same to
 * whoever opens the same profile.
 */
export type ViewState = {
  readonly tab: Tab;
  /** Row of the profile's events. */
  readonly event: number;
  readonly weight: WeightKind;
  /** Which frames of programs of JavaScript; of others all are shown. */
  readonly frames: FrameLevel;

  /** Which samples: row of the profile's threads, process, CPU; null: all. */
  readonly thread: number | null;
  readonly pid: number | null;
  readonly cpu: number | null;
  /** Nanoseconds since the recording's start, the first moment in, the first out; null: all. */
  readonly range: Range | null;

  /** What stands at the root of the trees. */
  readonly roots: 'comm' | 'thread' | 'process' | 'cpu' | 'none';
  /** From the outermost function inwards, or from where the weight was spent outwards. */
  readonly tree: 'callees' | 'callers';
  readonly shape: 'flame' | 'icicle';
  readonly sort: 'weight' | 'name' | 'time';
  /** `FrameKey`s from the outermost row to the one zoomed into; empty: not zoomed. */
  readonly zoom: readonly number[];
  readonly search: string;
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

  /** Row of the function whose callers, callees and source are shown. */
  readonly func: number | null;
  /** What of that function the tab Source shows, and whether instructions show their bytes. */
  readonly code: 'source' | 'assembly' | 'both';
  readonly codeBytes: boolean;
  readonly tableBy: 'function' | 'file' | 'dso' | 'thread';
  /** Column and direction: `self-`, `name+`. */
  readonly tableSort: string;
  readonly tableFilter: string;
  /** The same of the changes between two recordings: `change-`. */
  readonly diffSort: string;
  /** Rows of the call tree that are open (`tables/open-rows.ts`); empty: the heaviest path. */
  readonly treeOpen: string;

  /** Row of the groups that `groupByStream` makes; null: the event's largest. */
  readonly stream: number | null;
  /** Nanoseconds that a column of the heat map is wide. */
  readonly heatColumnNs: number;
  /** Rows into which the heat map cuts a column. */
  readonly heatRows: number;

  readonly theme: 'system' | 'light' | 'dark';
};

export type Range = { readonly fromNs: number; readonly toNs: number };

const TABS = ['flame', 'table', 'tree', 'time', 'period', 'source', 'diff'] as const;
export type Tab = (typeof TABS)[number];

export const DEFAULT_STATE: ViewState = {
  tab: 'flame',
  event: 0,
  weight: 'events',
  frames: 'all',
  thread: null,
  pid: null,
  cpu: null,
  range: null,
  roots: 'comm',
  tree: 'callees',
  shape: 'flame',
  sort: 'weight',
  zoom: [],
  search: '',
  focus: null,
  focusDso: null,
  hidden: [],
  hiddenDsos: [],
  mergedFuncs: [],
  mergedDsos: [],
  foldRecursion: false,
  func: null,
  code: 'source',
  codeBytes: false,
  tableBy: 'function',
  tableSort: 'self-',
  tableFilter: '',
  diffSort: 'change-',
  treeOpen: '',
  stream: null,
  heatColumnNs: 1e9,
  heatRows: 50,
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
const rowOrNone: Codec<number | null> = {
  read: (value) => (value === '' ? null : row.read(value)),
  write: (value) => String(value ?? ''),
};
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

function oneOf<Value extends string>(...values: readonly Value[]): Codec<Value> {
  return { read: (value) => values.find((known) => known === value), write: (value) => value };
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
  weight: oneOf('samples', 'period', 'events', 'time'),
  frames: oneOf(...FRAME_LEVELS),
  thread: rowOrNone,
  pid: rowOrNone,
  cpu: rowOrNone,
  range,
  roots: oneOf('comm', 'thread', 'process', 'cpu', 'none'),
  tree: oneOf('callees', 'callers'),
  shape: oneOf('flame', 'icicle'),
  sort: oneOf('weight', 'name', 'time'),
  zoom: rows,
  search: text,
  focus: rowOrNone,
  focusDso: rowOrNone,
  hidden: rows,
  hiddenDsos: rows,
  mergedFuncs: rows,
  mergedDsos: rows,
  foldRecursion: flag,
  func: rowOrNone,
  code: oneOf('source', 'assembly', 'both'),
  codeBytes: flag,
  tableBy: oneOf('function', 'file', 'dso', 'thread'),
  tableSort: text,
  tableFilter: text,
  diffSort: text,
  treeOpen: text,
  stream: rowOrNone,
  heatColumnNs: within(1e6, 1e11),
  heatRows: within(2, 200),
  theme: oneOf('system', 'light', 'dark'),
};
const KEYS = Object.keys(CODECS) as (keyof ViewState)[];

/** `tab=time&event=1`: what differs from the default, always in the same order. */
export function encodeState(state: ViewState, defaults: ViewState = DEFAULT_STATE): string {
  const parameters = new URLSearchParams();
  for (const key of KEYS) {
    const codec = CODECS[key] as Codec<unknown>;
    const value = codec.write(state[key]);
    if (value !== codec.write(defaults[key])) parameters.set(key, value);
  }
  return parameters.toString();
}

/** Unknown names and values that can't be are as if they were not there: links come from anyone. */
export function decodeState(hash: string, defaults: ViewState = DEFAULT_STATE): ViewState {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  const decoded: Partial<Record<keyof ViewState, unknown>> = {};
  for (const key of KEYS) {
    const value = parameters.get(key);
    if (value === null) continue;
    const read = CODECS[key].read(value);
    if (read !== undefined) decoded[key] = read;
  }
  return { ...defaults, ...decoded } as ViewState;
}

function allOf(values: readonly (number | undefined)[]): number[] | undefined {
  return values.some((value) => value === undefined) ? undefined : (values as number[]);
}
