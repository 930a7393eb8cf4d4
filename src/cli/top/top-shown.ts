import type { SliceTableKey } from '../../tools/top/slice-tables.ts';
import type { RunningTop } from '../../tools/top/top.ts';
import type { RecordFlags } from '../record/record-flags.ts';
import type { EndingSignal } from '../shared/ending-signals.ts';
import type { TopLook } from './top-text.ts';

/** A running `top`, as the screen and the batches take it. */
export type TopShown = {
  readonly top: RunningTop;
  /** Tables, the one that was asked for first. */
  readonly tables: readonly SliceTableKey[];
  readonly look: Omit<TopLook, 'columns' | 'lines'>;
  readonly flags: TopFlags;
  /** Ends it as Ctrl-C does: the command gets the signal, too. Without an own exit status. */
  readonly end: (name: EndingSignal) => void;
};

export type TopFlags = Pick<
  RecordFlags,
  | 'event'
  | 'freq'
  | 'count'
  | 'strictFreq'
  | 'allUser'
  | 'allKernel'
  | 'pid'
  | 'tid'
  | 'allCpus'
  | 'cpu'
  | 'inherit'
  | 'cgroup'
  | 'user'
  | 'asRoot'
  | 'nodeFlags'
  | 'g'
  | 'callGraph'
  | 'mmapPages'
  | 'duration'
  | 'quiet'
> & {
  uid?: string;
  delay?: string;
  window?: string;
  sort: string;
  weight?: 'samples' | 'period';
  /** True where the option stands alone, as perf's `-n`: the number of samples is always shown. */
  limit?: string | true;
  /** Other names of `limit`. */
  rows?: string;
  entries?: string;
  withSelf?: boolean;
  batch?: boolean;
  json?: boolean;
};
