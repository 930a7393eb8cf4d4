import type { AskedOf } from '../../options/option.ts';
import type { TOP } from '../../options/top.ts';
import type { SliceTableKey } from '../../tools/top/slice-tables.ts';
import type { RunningTop } from '../../tools/top/top.ts';
import type { EndingSignal } from '../shared/ending-signals.ts';
import type { TopLook } from './top-text.ts';

/** A running `top`, as the screen and the batches take it. */
export type TopShown = {
  readonly top: RunningTop;
  /** Tables, the one that was asked for first. */
  readonly tables: readonly SliceTableKey[];
  readonly look: Omit<TopLook, 'columns' | 'lines'>;
  readonly asked: AskedTop;
  /** Ends it as Ctrl-C does: the command gets the signal, too. Without an own exit status. */
  readonly end: (name: EndingSignal) => void;
};

/** The options that a command line of `top` gives, by their keys. */
export type AskedTop = AskedOf<typeof TOP>;
