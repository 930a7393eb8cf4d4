import type { MetricName } from '../../../../src/counting/count/metric.ts';
import type { KindGroup } from '../../../../src/formats/export/kind-group.ts';
import type { PageProfile } from '../../../../src/formats/export/page-profile.ts';
import type {
  ComparedFunctions,
  FunctionChange,
} from '../../../../src/profile/analysis/compare-functions.ts';
import type { DiffMeasure } from '../../../../src/profile/analysis/diff-measure.ts';
import type { RatioEstimate } from '../../../../src/profile/analysis/shares/group-ratios.ts';
import type {
  FuncCategory,
  ProfileMeta,
  SamplingMode,
  WeightKind,
  Weights,
} from '../../../../src/profile/types.ts';
import type { InstructionWeights } from '../../../../src/questions/instructions.ts';
import type { LaneHead } from './lane-messages.ts';
import type { Selection } from './selection.ts';

/** The requests that the views of functions, trees, code and changes make of the worker. */
export type FlameRequests = {
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
  changes: { params: ChangesParams; result: ChangesResult };
};

/** A side of recordings that are compared: that of the one that is shown, or the other. */
export type Side = 'here' | 'there';

export type OpenParams = {
  /** 0: the recording that is shown. */
  readonly slot: number;
  readonly side: Side;
  readonly bytes: Uint8Array;
};

/** Facts that the page's controls need to know of a recording. */
export type OpenResult = {
  readonly events: readonly {
    readonly name: string;
    /** The facts as `ProfileEvent` has them. */
    readonly type: number;
    readonly mode: SamplingMode;
    readonly unit: Unit;
    readonly samples: number;
    /** The event whose samples read it, as member of its group; null: it has samples of its own. */
    readonly readBy: string | null;
    readonly lostSamples: number;
    /** The counter's final value; null where it was not read. */
    readonly counted: number | null;
  }[];
  /** Threads by ThreadIndex. */
  readonly threads: readonly {
    readonly pid: number;
    readonly tid: number;
    readonly comm: string;
    /** The name as `threadNames` has it: `node main thread`. */
    readonly name: string;
    readonly samples: number;
  }[];
  /** Names by FuncIndex and DsoIndex. */
  readonly funcNames: readonly string[];
  readonly dsoNames: readonly string[];
  /** Ascending; without −1. */
  readonly cpus: readonly number[];
  /** The number of turns of event loops that took so many milliseconds or longer; empty: none is known. */
  readonly turnsOver: readonly { readonly ms: number; readonly turns: number }[];
  /** The lanes above the tracks. */
  readonly lanes: readonly LaneHead[];
  /** False for imported text, which says nothing of them. */
  readonly areLossesKnown: boolean;
  /** The last sample's time, nanoseconds since the recording's start. */
  readonly endNs: number;
  /** How it is compared with another recording at first. */
  readonly diffBy: DiffMeasure;
  readonly meta: ProfileMeta;
  /** The page data but for what is large. */
  readonly head: PageHead;
};

export type PageHead = Omit<PageProfile, 'profile' | 'weights' | 'periodInput'> & {
  readonly weightKinds: readonly WeightKind[];
};

export type Unit = Weights['unit'];

/**
 * One number for what a tree row stands for, the same for one recording, also while it grows:
 *
 *     0 … M − 1         function, by FuncIndex (`frame-key.ts`)
 *     M … 2M − 1        the same functions where the compiler inlined them
 *     2M …              what stands at the root (`TreeParams.roots`): comm by string index, thread
 *                       by ThreadIndex, process by the ThreadIndex of its first, CPU by number + 1
 */
export type FrameKey = number;

export type TreeParams = Selection & {
  /** The things that get rows of their own above the outermost functions. The tree of callers has none. */
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
  /** Number of rows at most, where that is fewer than `MAX_ROWS`. */
  readonly maxRows?: number;
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

/** A row above those of the answer; figures as in `TreeRows`. */
export type Crumb = {
  readonly key: FrameKey;
  readonly name: string;
  /** Row of `TreeLabels`. */
  readonly label: number;
  readonly total: number;
  readonly self: number;
  readonly samples: number;
  readonly tier: number;
};

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

/** The category of a function, or a row that stands for none. */
export type FrameKind = FuncCategory | 'root' | 'lost' | 'folded';

/** The labels of rows of trees and tables, each once. Columns. */
export type TreeLabels = {
  readonly key: Int32Array;
  readonly name: readonly string[];
  readonly kind: readonly FrameKind[];
  /** Row of `KIND_GROUPS`: its colour. */
  readonly group: Uint8Array;
  /** Path of the DSO, empty if there is none. */
  readonly dso: readonly string[];
  /** DsoIndex, −1 if there is none. */
  readonly dsoIndex: Int32Array;
  /** `src/server.ts:12` where the function begins, empty if that is not known. */
  readonly place: readonly string[];
  /** 1: matches the search. */
  readonly isMatch: Uint8Array;
};

export type SearchParams = Omit<TreeParams, 'zoom' | 'leastPart' | 'maxRows'>;

/** The matches of a search in the whole selection, however little of it is drawn. */
export type SearchResult = {
  /** Weight of the samples with a match on their stack, each counted once. */
  readonly weight: number;
  readonly all: number;
  readonly unit: Unit;
  readonly functions: number;
  /** Outermost matching rows of the tree, heaviest first, at most 500. */
  readonly hits: readonly SearchHit[];
  readonly hitCount: number;
  /** The part of the typed text that could not be understood, null if all was. */
  readonly problem: string | null;
};

export type SearchHit = {
  /** Path from the root, as `TreeParams.zoom` has it. */
  readonly path: readonly FrameKey[];
  readonly total: number;
  readonly name: string;
  readonly kind: FrameKind;
  /** Row of `KIND_GROUPS`: its colour. */
  readonly group: number;
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
  /** The part of the filter that could not be understood, null if all was. */
  readonly problem: string | null;
  readonly weight: number;
  readonly samples: number;
  readonly unit: Unit;
  /** Metrics of the columns of ratios; empty where no two events are compared. */
  readonly ratios: readonly TableRatio[];
  /** Whether these are of the rows' own code, or with all that it calls. */
  readonly ratioScope: 'self' | 'total';
};

/** A metric of stat, and the event that has it. */
export type TableRatio = { readonly name: MetricName; readonly event: string };

/** Shares are 0…1 of the selection. Intervals: 95 %, null where the model gives none. */
export type TableRow = {
  /** FuncIndex, DsoIndex, ThreadIndex, or string index of the file; −1: unknown. */
  readonly index: number;
  readonly name: string;
  readonly kind: FrameKind;
  /** The group whose code it is; of files, DSOs and threads nobody's. */
  readonly group: KindGroup;
  readonly dso: string;
  readonly place: string;
  readonly self: number;
  readonly total: number;
  readonly selfShare: number;
  readonly totalShare: number;
  readonly samples: number;
  readonly selfInterval: Interval | null;
  readonly totalInterval: Interval | null;
  /** Parallel to the columns of ratios; empty until they were computed, with the intervals. */
  readonly ratios: readonly RatioEstimate[];
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
  /** The ends of each row; NaN where it has no samples of its own, or the model gives none. */
  readonly callerIntervals: TreeIntervals;
  readonly calleeIntervals: TreeIntervals;
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
  /** Weights of the function as a whole, or the file. */
  readonly allSelf: number;
  readonly allTotal: number;
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
  /** Weight of all samples that are selected. */
  readonly weight: number;
  readonly unit: Unit;
};

/** The other recordings are those opened as of the side `there`, their events those of the same name. */
export type DiffParams = ChangesParams & {
  readonly inverted: boolean;
  readonly zoom: readonly FrameKey[];
  readonly search: string;
};

export type DiffResult = {
  /** This recording's tree, with the functions that only the other has: the mean of both. */
  readonly tree: TreeResult;
  /** The measure that is compared: as asked for, unless the recordings don't have it. */
  readonly by: DiffMeasure;
  /** Parallel to `tree.rows`, in what is compared: here less there; and there. */
  readonly delta: Float64Array;
  readonly other: Float64Array;
  /** Unit of the weights of this recording, and whether the other one has the same. */
  readonly unit: Unit;
  readonly isSameUnit: boolean;
  readonly here: DiffSide;
  readonly there: DiffSide;
  /** Null: nothing was searched. */
  readonly found: DiffFound | null;
};

/** The recordings of one side. */
export type DiffSide = {
  /** How many are compared; of this side only the shown one where samples of it are selected. */
  readonly runs: number;
  /** Their mean: per second where that is compared, else as they were recorded. */
  readonly weight: number;
  /** Samples of all of them. */
  readonly samples: number;
  /** Their mean of what was recorded; null where samples have no times. */
  readonly seconds: number | null;
};

/** Shares of the stacks with a match, here and there, each stack counted once. */
export type DiffFound = Pick<SearchResult, 'functions' | 'hits' | 'hitCount' | 'problem'> & {
  readonly share: number;
  readonly otherShare: number;
};

export type ChangesParams = Selection & { readonly by: DiffMeasure };

/**
 * Changes of self of the same two recordings, largest first. Their intervals take longer than the
 * trees, so they come after them.
 */
export type ChangesResult = {
  /** Changes, at most `MAX_CHANGES` of them. */
  readonly rows: readonly DiffRow[];
  readonly length: number;
  /** The change of everything. */
  readonly total: ComparedFunctions['total'];
  /** Notes on what to know of the recordings before believing it. */
  readonly notes: readonly string[];
};

export const MAX_CHANGES = 1000;

export type DiffRow = Omit<FunctionChange, 'id' | 'path'> & {
  /** FuncIndex of this recording, −1 for a function that only the other one has. */
  readonly func: number;
};
