import type { PageProfile } from '../../../src/formats/export/page-profile.ts';
import type { InstructionWeights } from '../../../src/profile/analysis/instruction-weights.ts';
import type { DsoMatch } from '../../../src/profile/analysis/match-dsos.ts';
import type { ProfileMeta, SamplingMode, WeightKind } from '../../../src/profile/types.ts';
import type { Selection } from './selection.ts';
import type { TimeRequests } from './time-messages.ts';

/**
 * What the page and its worker say to each other. The worker holds the profile and computes; the
 * page holds the state and draws. Each request gets exactly one reply with the same id, unless it
 * was cancelled before the worker came to it.
 *
 *   page                                     worker
 *   { id: 7, kind: 'tree', params }    ──▶   computes
 *                                      ◀──   { id: 7, result } or { id: 7, problem }
 *   { cancel: 8 }                      ──▶   request 8, if it still waits, is never answered
 *
 * Names in results are printable: text without control characters. They are text, never markup.
 */
export type RequestMessage = {
  [Kind in RequestKind]: {
    readonly id: number;
    readonly kind: Kind;
    readonly params: Requests[Kind]['params'];
  };
}[RequestKind];
export type CancelMessage = { readonly cancel: number };

export type ReplyMessage =
  | { readonly id: number; readonly result: unknown }
  /** What failed, as a sentence. */
  | { readonly id: number; readonly problem: string };

/** Every request by its name. A part of the page with requests of its own adds them as a type. */
export type Requests = FlameRequests & TimeRequests;
export type RequestKind = keyof Requests;

type FlameRequests = {
  /** First of all. `bytes` are what `encodePageData` made. */
  open: { params: OpenParams; result: OpenResult };
  tree: { params: TreeParams; result: TreeResult };
  intervals: { params: TreeParams; result: TreeIntervals };
  search: { params: SearchParams; result: SearchResult };
  table: { params: TableParams; result: TableResult };
  sandwich: { params: SandwichParams; result: SandwichResult };
  source: { params: SourceParams; result: SourceResult };
  assembly: { params: AssemblyParams; result: AssemblyResult };
  diff: { params: DiffParams; result: DiffResult };
  changes: { params: Selection; result: ChangesResult };
};

/** 0: the recording that is shown; 1: the one that it is compared with. */
export type Slot = 0 | 1;

export type OpenParams = { readonly slot: Slot; readonly bytes: Uint8Array };

/** What the page's controls need to know of a recording. */
export type OpenResult = {
  readonly events: readonly {
    readonly name: string;
    /** As `ProfileEvent` has them. */
    readonly type: number;
    readonly mode: SamplingMode;
    readonly unit: Unit;
    readonly samples: number;
    readonly lostSamples: number;
  }[];
  /** By ThreadIndex. */
  readonly threads: readonly {
    readonly pid: number;
    readonly tid: number;
    readonly comm: string;
    readonly samples: number;
  }[];
  /** F of `FrameKey`; names by FuncIndex and DsoIndex. */
  readonly funcCount: number;
  readonly funcNames: readonly string[];
  readonly dsoNames: readonly string[];
  /** Ascending; without −1. */
  readonly cpus: readonly number[];
  /** False for imported text, which says nothing of them. */
  readonly areLossesKnown: boolean;
  /** The last sample's time, nanoseconds since the recording's start. */
  readonly endNs: number;
  readonly meta: ProfileMeta;
  /** The page data but for what is large. */
  readonly head: PageHead;
};

export type PageHead = Omit<PageProfile, 'profile' | 'weights' | 'periodInput'> & {
  readonly weightKinds: readonly WeightKind[];
};

export type Unit = 'samples' | 'events' | 'nanoseconds';

/**
 * What a tree row stands for, as one number that stays the same for one recording:
 *
 *     0 … F − 1         function, by FuncIndex (F functions)
 *     F … 2F − 1        the same functions where the compiler inlined them
 *     2F …              what stands at the root (`TreeParams.roots`): comm by string index, thread
 *                       by ThreadIndex, process by the ThreadIndex of its first, CPU by number + 1
 */
export type FrameKey = number;

export type TreeParams = Selection & {
  /** What gets rows of its own above the outermost functions. The tree of callers has none. */
  readonly roots: 'comm' | 'thread' | 'process' | 'cpu' | 'none';
  /** True: the tree of callers. */
  readonly inverted: boolean;
  /** Order of siblings. */
  readonly order: 'weight' | 'name' | 'time';
  /** Keys from the root to the row that fills the width; empty: everything. */
  readonly zoom: readonly FrameKey[];
  /** Typed text (`search.ts`); matching rows are kept where others are folded. */
  readonly search: string;
  /** Rows with less than this part of the zoomed weight are folded: too narrow to be drawn. */
  readonly leastPart: number;
};

/**
 * The part of a tree that is worth drawing: at most `MAX_ROWS` rows, parents before children,
 * siblings in the order asked for. Below the zoomed row only; `zoom` tells the rows above it.
 */
export type TreeResult = {
  readonly rows: TreeRows;
  readonly labels: TreeLabels;
  /** The path that was found, outermost first: the breadcrumb. Shorter than asked if it ended. */
  readonly zoom: readonly Crumb[];
  /** Weight of the whole selection, and of the zoomed row. */
  readonly weight: number;
  readonly zoomWeight: number;
  readonly samples: number;
  readonly unit: Unit;
  /** Weight of samples without any frame; it is in no row. */
  readonly withoutStack: number;
  /** Rows of the whole tree below the zoomed one, and how many of them are folded, with weight. */
  readonly allRows: number;
  readonly foldedRows: number;
  readonly foldedWeight: number;
};

export const MAX_ROWS = 5000;

export type Crumb = { readonly key: FrameKey; readonly name: string; readonly total: number };

/** Columns, one entry per row. */
export type TreeRows = {
  /** Row of the parent, −1 directly below the zoomed row (or the root). */
  readonly prefix: Int32Array;
  /** Row of `TreeLabels`. */
  readonly label: Int32Array;
  readonly total: Float64Array;
  readonly self: Float64Array;
  /** Samples behind `total`. */
  readonly samples: Float64Array;
  /** Row of `TIERS` that most of the weight ran in; 0 where it is not JavaScript. */
  readonly tier: Uint8Array;
  /** How many rows a folded row stands for, 0 in all others. */
  readonly folded: Int32Array;
};

/**
 * 95 % intervals of the shares that the rows of the same request's tree have of all, 0…1; NaN where
 * the model gives none. They take longer than the tree, so they come after it.
 */
export type TreeIntervals = { readonly low: Float64Array; readonly high: Float64Array };

export type FrameKind =
  | 'native'
  | 'kernel'
  | 'module'
  | 'vdso'
  | 'guest'
  | 'jit'
  | 'user code'
  | 'dependency'
  | 'node internal'
  | 'V8'
  | 'unknown'
  | 'root'
  | 'lost'
  | 'folded';

/** What rows of trees and tables are called, each once. Columns. */
export type TreeLabels = {
  readonly key: Int32Array;
  readonly name: readonly string[];
  readonly kind: readonly FrameKind[];
  /** Path of the DSO, empty if there is none. */
  readonly dso: readonly string[];
  /** DsoIndex, −1 if there is none. */
  readonly dsoIndex: Int32Array;
  /** `src/server.ts:12` where the function begins, empty if that is not known. */
  readonly place: readonly string[];
  /** 1: matches the search. */
  readonly isMatch: Uint8Array;
};

export type SearchParams = Omit<TreeParams, 'zoom' | 'leastPart'>;

/** What a search matches in the whole selection, however little of it is drawn. */
export type SearchResult = {
  /** Weight of the samples with a match on their stack, each counted once. */
  readonly weight: number;
  readonly all: number;
  readonly unit: Unit;
  readonly functions: number;
  /** Outermost matching rows of the tree, heaviest first, at most 500: their paths for `zoom`. */
  readonly hits: readonly { readonly path: readonly FrameKey[]; readonly total: number }[];
  readonly hitCount: number;
  /** What of the typed text could not be understood, null if all was. */
  readonly problem: string | null;
};

export type TableKey = 'function' | 'file' | 'dso' | 'thread';
export type TableColumn = 'self' | 'total' | 'samples' | 'name';

export type TableParams = Selection & {
  readonly by: TableKey;
  readonly sort: TableColumn;
  readonly descending: boolean;
  /** Typed text as in a search; only rows whose name, DSO or place matches. */
  readonly filter: string;
  /** They take longer than the table: it is asked for without them first. */
  readonly intervals: boolean;
  /** First row and number of rows wanted, of those that pass the filter. */
  readonly first: number;
  readonly count: number;
};

export type TableResult = {
  readonly rows: readonly TableRow[];
  /** Rows that pass the filter. */
  readonly length: number;
  readonly weight: number;
  readonly samples: number;
  readonly unit: Unit;
};

/** Shares are 0…1 of the selection. Intervals: 95 %, null where the model gives none. */
export type TableRow = {
  /** FuncIndex, DsoIndex, ThreadIndex, or string index of the file; −1: unknown. */
  readonly index: number;
  readonly name: string;
  readonly kind: FrameKind;
  readonly dso: string;
  readonly place: string;
  readonly self: number;
  readonly total: number;
  readonly selfShare: number;
  readonly totalShare: number;
  readonly samples: number;
  readonly selfInterval: Interval | null;
  readonly totalInterval: Interval | null;
};

export type Interval = { readonly low: number; readonly high: number };

export type SandwichParams = Selection & { readonly func: number; readonly search: string };

/** Callers and callees of one function; recursion counts once, at its outermost call. */
export type SandwichResult = {
  readonly name: string;
  readonly self: number;
  readonly total: number;
  /** Both are zoomed into the function. */
  readonly callers: TreeResult;
  readonly callees: TreeResult;
};

/** Weights per line of a function's file, or of a file. */
export type SourceParams = Selection &
  ({ readonly func: number } | { readonly file: number /* string index */ });

export type SourceResult = {
  /** String index of `file`, −1: none. */
  readonly fileIndex: number;
  /** Path as the symbol information has it; null: this code has no line information. */
  readonly file: string | null;
  /** Name of the function asked for, and its first line; null, 0 for a file. */
  readonly name: string | null;
  readonly firstLine: number;
  /** The function's code was made by a JIT. */
  readonly isJit: boolean;
  /** Lines with weight, ascending, and columns parallel to them. */
  readonly line: Int32Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  /** Self weight in the function or file whose line is not known. */
  readonly withoutLine: number;
  readonly weight: number;
  readonly unit: Unit;
};

/**
 * Weights per instruction of a function. The server says which frames of it lie in which instruction;
 * `instructions` is parallel to `frames`, −1 for frames whose instruction is not shown.
 */
export type AssemblyParams = Selection & {
  readonly func: number;
  readonly frames: readonly number[];
  readonly instructions: readonly number[];
  /** How many instructions there are. */
  readonly count: number;
};

export type AssemblyResult = InstructionWeights & {
  readonly name: string;
  /** Of all samples that are selected. */
  readonly weight: number;
  readonly unit: Unit;
};

/** The other recording is that of slot 1, its event the one of the same name. */
export type DiffParams = Selection & {
  readonly inverted: boolean;
  readonly zoom: readonly FrameKey[];
  readonly search: string;
};

/** Shares are compared, so that recordings of different length can be. */
export type DiffResult = {
  /** This recording's tree, with the functions that only the other has. */
  readonly tree: TreeResult;
  /** Parallel to `tree.rows`: share here less share there; and the share there. */
  readonly delta: Float64Array;
  readonly otherShare: Float64Array;
  readonly otherWeight: number;
  readonly otherSamples: number;
  /** Null: nothing was searched. */
  readonly found: DiffFound | null;
};

/** Shares of the stacks with a match, here and there, each stack counted once. */
export type DiffFound = Pick<SearchResult, 'functions' | 'hits' | 'hitCount' | 'problem'> & {
  readonly share: number;
  readonly otherShare: number;
};

/**
 * Changes of self of the same two recordings, heaviest first. Their intervals take longer than the
 * trees, so they come after them.
 */
export type ChangesResult = {
  /** At most `MAX_CHANGES` of them. */
  readonly rows: readonly DiffRow[];
  readonly length: number;
  /** Files of different names that are compared with each other. */
  readonly renamed: readonly DsoMatch[];
};

export const MAX_CHANGES = 1000;

export type DiffRow = {
  readonly name: string;
  readonly dso: string;
  /** Self shares, 0…1. */
  readonly share: number;
  readonly otherShare: number;
  readonly delta: number;
  /** 95 % interval of `delta`; null where the model gives none. */
  readonly interval: Interval | null;
  /** As of `ShareChange`. */
  readonly isCertain: boolean;
};
