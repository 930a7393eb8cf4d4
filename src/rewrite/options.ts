import type { DescribedDiagnostic } from '../findings/diagnostic-text.ts';
import type { OnShareRead } from '../read/files/watched-source.ts';
import type { RecordSelection } from '../read/selection.ts';

/** The build IDs of a recording that is rewritten: kept, added to, or removed. */
export type BuildIdChange =
  /** Build IDs that are there stay. */
  | 'keep'
  /** Build IDs of mapped files that can be read on this machine are added, as `perf inject -b`. */
  | 'add'
  | 'remove';

/** How `rewriteRecording` changes a recording; without any of it, it only inflates and tidies. */
export type RewriteOptions = {
  /** Kernel addresses are replaced by one marker; module maps and physical addresses go. */
  readonly stripKernel?: boolean;
  /** The copies of user stacks are unwound into callchains; then they and the user registers go. */
  readonly dropStacks?: boolean;
  /** Places of the files that unwinding needs, as `openProfile` takes them. */
  readonly symfs?: string;
  /** Paths, comms, host name and command line become hashes; implies `dropStacks`. */
  readonly anonymize?: boolean;
  /** Goes into the hashes of `anonymize`, so that nobody without it can try names. */
  readonly salt?: string;
  readonly buildIds?: BuildIdChange;
  readonly select?: RecordSelection;
  /** Hears of the share of the input, 0 … 1, that was read; twice, where it has to be read twice. */
  readonly onShare?: OnShareRead;
};

/** Counts of what a rewrite kept and removed. */
export type RewriteSummary = {
  readonly samples: number;
  readonly samplesKept: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Losses that were not asked for, with counts; for the user to see. */
  readonly leftOut: readonly { readonly reason: string; readonly count: number }[];
  /** Offset at which the input was cut; null if it is whole. */
  readonly truncatedAt: number | null;
  /** Broken or missing parts of the input. */
  readonly diagnostics: readonly DescribedDiagnostic[];
};
