import { NONE } from '../../base/brand.ts';
import { LabelledStacks } from '../leaf-labels.ts';
import type { Profile } from '../types.ts';
import { isRunnable, waitState } from './wait-states.ts';

/** The samples that were taken at a switch, and the states in which their threads left the CPU. */
export type Waits = {
  readonly length: number;
  /** Rows of the sample table. */
  readonly row: Int32Array;
  /** `prev_state`, or `STATE_UNKNOWN`. */
  readonly state: Int32Array;
  /** The waker of the thread, index into `wakers`; −1 where nobody did, or nobody knows who. */
  readonly waker: Int32Array;
  /** `server/1234`, `an interrupt`. */
  readonly wakers: readonly string[];
};

/** Functions of the machinery that takes a thread off its CPU: what called them is what waits. */
const SCHEDULER =
  /^(?:__?schedule|schedule(?:_(?:timeout|hrtimeout|preempt|idle|rtlock|user)\w*)?|preempt_schedule\w*|io_schedule\w*|__traceiter_\w+|__probestub_\w+|perf_trace_\w+|trace_\w+|finish_task_switch|__perf_event_task_sched_out|__?cond_resched)(?:\.(?:isra|constprop|part|cold)\S*)*$/;

/** Addresses of these frames, which lie in no DSO: far from those of the markers of cut stacks. */
const FIRST_ADDRESS = -(2 ** 20);

/**
 * The profile with a frame on top of the stacks of waits that says why: the state and, in place of the
 * scheduler's own functions, the one that waits.
 *
 *     read  …  pipe_read  schedule  __schedule   ─▶   read  …  pipe_read  [S sleeping in pipe_read]
 *
 * A thread that could have gone on waits for a CPU, wherever it is: `[R+ preempted]`. One that was woken
 * does so too, and has who woke it on top: `[R runnable] [woken by server/1234]`.
 */
export function addWaitReasons(profile: Profile, waits: Waits): Profile {
  if (waits.length === 0) return profile;
  const added = new WaitStacks(profile);
  const { samples } = profile;
  const stack = new Int32Array(samples.stack);
  for (let i = 0; i < waits.length; i++) {
    const row = waits.row[i];
    const wait = added.internWait(samples.stack[row], waits.state[i]);
    const waker = waits.wakers[waits.waker[i]];
    stack[row] = waker === undefined ? wait : added.internWoken(wait, waker);
  }
  return { ...profile, ...added.tables(), samples: { ...samples, stack } };
}

/** Stacks of waits, with frames on top that state why a thread waits. */
class WaitStacks {
  readonly #added: LabelledStacks;
  readonly #waiterOfLeaf = new Map<number, number>();

  constructor(profile: Profile) {
    this.#added = new LabelledStacks(profile, FIRST_ADDRESS);
  }

  /** The stack of a thread that left the CPU in `state` at the stack `leaf`, −1: an unknown one. */
  internWait(leaf: number, state: number): number {
    const waiter = this.#findWaiter(leaf);
    const { letter, word } = waitState(state);
    const isNamed = waiter !== NONE && this.#added.isKernel(waiter);
    const where = isNamed && !isRunnable(state) ? ` in ${this.#nameOf(waiter)}` : '';
    const func = isNamed ? this.#added.funcOf(waiter) : NONE;
    return this.#added.intern(waiter, `[${letter} ${word}${where}]`, func);
  }

  /** The stack of a thread at the stack `wait` that `waker` has woken, and that waits for a CPU. */
  internWoken(wait: number, waker: string): number {
    return this.#added.intern(wait, `[woken by ${waker}]`, NONE);
  }

  /** The tables with what was added. */
  tables(): ReturnType<LabelledStacks['tables']> {
    return this.#added.tables();
  }

  /** The stack below the scheduler, whose leaf waits, −1 where nothing else is there. */
  #findWaiter(leaf: number): number {
    let waiter = this.#waiterOfLeaf.get(leaf);
    if (waiter === undefined) {
      waiter = leaf;
      while (waiter !== NONE && SCHEDULER.test(this.#nameOf(waiter))) {
        waiter = this.#added.profile.stacks.prefix[waiter];
      }
      this.#waiterOfLeaf.set(leaf, waiter);
    }
    return waiter;
  }

  #nameOf(stack: number): string {
    const { strings, funcs } = this.#added.profile;
    return strings[funcs.name[this.#added.funcOf(stack)]];
  }
}
