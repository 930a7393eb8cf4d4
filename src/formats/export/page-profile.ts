import type { Judgement } from '../../findings/finding.ts';
import type { PeriodInput } from '../../period/types.ts';
import type { Completeness } from '../../profile/analysis/stacks/completeness.ts';
import type { FrameLevel } from '../../profile/frame-level.ts';
import type { Profile, WeightKind, Weights } from '../../profile/types.ts';

/**
 * One recording as the page holds it: the profile, and what is computed from a recording's bytes
 * and so can't be computed from the profile. Every name in it is printable.
 */
export type PageProfile = {
  readonly schema: 'perf-ts/page-profile@1';
  /** Shown in the tab and in the header: the recorded command, or the file. */
  readonly title: string;
  /** Program that made the page: `perf-ts 1.0.0`. */
  readonly exporter: string;
  readonly profile: Profile;
  /**
   * The weights that this recording has; `values` are parallel to `profile.samples`. Their `unit`
   * is the one that all events share: `withUnitOf` (weight-title.ts) has that of one event.
   */
  readonly weights: Readonly<Partial<Record<WeightKind, Weights>>>;
  /** Why it has not the others, in words. */
  readonly missingWeights: Readonly<Partial<Record<WeightKind, string>>>;
  /** The kind to begin with; always one of `weights`. */
  readonly firstWeight: WeightKind;
  /** The frames to begin with, and all levels that differ; absent where there is nothing to fold. */
  readonly firstFrames?: FrameLevel;
  readonly frameLevels?: readonly FrameLevel[];
  /** Which files have no names, and why: a sentence each; absent where all have. */
  readonly missingNames?: readonly string[];
  /** The reason by event why weights may be those of neighbouring samples; absent where there is no such doubt. */
  readonly weightDoubts?: readonly (string | null)[];
  /** Input of what `src/period` computes; its sample columns are those of the profile. */
  readonly periodInput: PeriodInput;
  /**
   * Samples of the recording were left out: what was counted between those that are here is not
   * known.
   */
  readonly isPart?: true;
  /** How many stacks are whole; null where no event records stacks. */
  readonly completeness: Completeness | null;
};

/**
 * The setup that the page finds in its document, as JSON in the data block `#page-setup`: where its profiles
 * are. The only thing that differs between the page of a server and that of a file.
 */
export type PageSetup = {
  readonly schema: 'perf-ts/page-setup@1';
  /** The recordings: the first is shown. */
  readonly files: readonly PageFile[];
  /**
   * Row in `files` of the first of those that it is compared with; those in front of it are of the same side as
   * the first. Their number: none.
   */
  readonly firstBefore: number;
  /**
   * Address of the stream of server-sent events, relative to the page: event `profile` means that
   * the first file has changed (data: its number, counting up), `end` that it will not any more.
   * Null: the recording is finished.
   */
  readonly live: string | null;
  /** Address, relative to the page, to which it may send further recordings; null: it may not. */
  readonly open: string | null;
  /** The state to begin with, as in the hash of an address; empty: the usual one. */
  readonly view: string;
  /** The folder whose recordings the server has: without `files` the page lists them. */
  readonly notebook?: PageNotebook;
};

/** Recordings of a folder, the newest first; none beside `files`. Every name is printable. */
export type PageNotebook = { readonly folder: string; readonly rows: readonly NotebookRow[] };

export type NotebookRow = {
  /** Number of the recording: the page of it is `?files=N`, its `FirstAnswer` as JSON `answer/N`. */
  readonly file: number;
  readonly name: string;
  readonly commandLine: readonly string[];
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly changedMs: number;
  /** Nanoseconds from the first sample to the last; null where only reading them tells. */
  readonly lengthNs: number | null;
};

/** A recording in a line: its first event, how it was sampled, and the function that did most by itself. */
export type FirstAnswer = {
  readonly lengthNs: number;
  readonly samples: number;
  readonly event: string;
  readonly trust: Pick<Judgement, 'level' | 'label'>;
  readonly top: HeavyFunction | null;
};

/** A part of all self weight, and whose it is. */
export type HeavyFunction = { readonly name: string; readonly share: number };

/** The progress of reading a recording. */
export type PageProgress = {
  /** The stage of it, in the words of the terminal; empty before it begins. */
  readonly words: string;
  /** Null where that is not known. */
  readonly percent: number | null;
  /** Null where nobody has looked. */
  readonly soFar: HeaviestSoFar | null;
};

/** The functions that did most by themselves in the first `part` of the records, 0 … 1; heaviest first. */
export type HeaviestSoFar = { readonly part: number; readonly heaviest: readonly HeavyFunction[] };

export type PageFile = {
  readonly title: string;
  readonly data: PageDataPlace;
  /** The address of the `PageProgress` of the reading; absent in a page that is a file. */
  readonly progress?: string;
  /** `encodePageReport`: what the page needs after its first picture. */
  readonly report: PageDataPlace;
  /** Texts of source files as JSON, by row of the profile's strings; what `links.source` has is not in it. */
  readonly sources?: PageDataPlace;
  /** The server's further resources; empty in an exported page. */
  readonly links: PageLinks;
};

/** `url`: relative to the page, uncompressed. `element`: id of a data block, gzip in base64. */
export type PageDataPlace =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'element'; readonly id: string };

/** Addresses relative to the page. */
export type PageLinks = {
  /** Speedscope with this profile loaded. */
  readonly speedscope?: string;
  /** Files to save. */
  readonly downloads?: readonly { readonly label: string; readonly url: string }[];
  /** The recordings as one file; with `view=HASH` added it opens as that. */
  readonly page?: string;
  /** `${source}?name=N`, N an index into `profile.strings`: a `PageSource`, or why there is none (404). */
  readonly source?: string;
  /**
   * `${assembly}?func=F`, F a row of `profile.funcs`: a `PageAssembly`, or the reason why there is
   * none (404).
   */
  readonly assembly?: string;
};

/** A source file as the server gives it, as JSON. */
export type PageSource = {
  readonly text: string;
  /** When the file was changed, in words, if that was after the recording; null: it was not. */
  readonly changed: string | null;
};

/** Source files inside of a page that is a file, by row of `profile.strings`; as JSON. */
export type PageSources = Readonly<Record<number, PageSource>>;
