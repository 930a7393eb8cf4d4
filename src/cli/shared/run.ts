import type { Worker } from 'node:worker_threads';
import type { ProgressLine } from '../render/progress-line.ts';

/** An option that got its value from the user's defaults. */
export type AppliedDefault = {
  /** `--freq 999`. */
  readonly words: string;
  /** `PERF_TS_FREQ`, or the path of the file. */
  readonly from: string;
};

/** One run of the command: what it was asked for, and what it shows and holds meanwhile. */
export class Run {
  /** `--color`; it has precedence over the environment. */
  colour: 'auto' | 'always' | 'never' = 'auto';
  /** `-q`: only results and failures are printed. */
  isSilent = false;
  /** `-v`; a profiled command may have an option of that name. */
  isVerbose = false;
  /** Descriptor of what is printed for a person; 2 where standard output is that of a command. */
  resultsOn: 1 | 2 = 1;
  /** Rows of a table for a person where nobody asks for so many. */
  usualRows = 40;
  /** Options whose values are not those of the command line. */
  defaults: readonly AppliedDefault[] = [];
  /** Path of the recording that this run has made, once the file is complete. */
  recorded: string | null = null;
  /** The line that shows how far it has come; null: nothing may be drawn, undefined: nobody has asked for it. */
  progress: ProgressLine | null | undefined;
  /** Called before anything is written to standard output or standard error. */
  beforeOutput: (fd: number) => void = () => {};
  /** Makes standard input, output and error as blocking as they were. */
  restoreStdio = (): void => {};
  /** Coverage of NODE_V8_COVERAGE is that of perf-ts, and not of a command. */
  isCoverageOurs = true;
  /** The thread of `view` that was started before its options were read. */
  earlyThread: Worker | null = null;
}

let current = new Run();

/** The run under way: a process has one standard output, and so one run at a time. */
export function thisRun(): Run {
  return current;
}

/** Begins a run, which nothing of an earlier one of this process is left in. */
export function beginRun(): Run {
  current = new Run();
  return current;
}
