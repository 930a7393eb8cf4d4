import { NONE } from '../base/brand.ts';
import { lookUpNarrow } from '../base/narrow-column.ts';
import { type StringIndex, StringTable } from '../base/string-table.ts';
import { FrameTableBuilder } from './frame-table.ts';
import { FuncTableBuilder, LOST_FUNC_NAME, UNKNOWN_FUNC_NAME } from './func-table.ts';
import { InlinedFrames } from './inlined-frames.ts';
import { SampleTableBuilder } from './sample-table.ts';
import { StackTableBuilder } from './stack-table.ts';
import type { FrameIndex, Profile, SampleTable, StackIndex } from './types.ts';

/** The small tables, which the session keeps and hands over at the end. */
export type ProfileParts = Pick<
  Profile,
  'meta' | 'events' | 'dsos' | 'threads' | 'streams' | 'losses' | 'askedIn'
>;

/**
 * A profile being recorded or read. Three phases, in this order:
 *
 *  1. per sample: `extendStack` from the root inwards, then `samples.add`;
 *  2. per DSO, once: look the addresses of `frames.addresses(dso)` up, `funcs.intern` and `frames.setFunc`;
 *  3. `finish`.
 *
 * Between 2 and 3 frames may get calls that were inlined there (`addInlined`). One frame of machine
 * code then stands for several: since prefixes come first, `finish` rebuilds the stacks in one
 * forward pass, and maps the samples' stacks in one more. Nothing in phase 1 needs to know.
 */
export class ProfileBuilder {
  readonly strings = new StringTable();
  readonly funcs = new FuncTableBuilder();
  readonly frames = new FrameTableBuilder();
  readonly stacks = new StackTableBuilder();
  readonly samples = new SampleTableBuilder();
  readonly #inlined = new InlinedFrames();

  /**
   * `stacks.intern(prefix, frames.intern(dso, address))`, and faster: where the path goes on as it did
   * for the sample before, neither table is searched.
   */
  // Hot: once per frame.
  extendStack(prefix: number, dso: number, address: number): StackIndex {
    const remembered = this.stacks.lastChild(prefix);
    if (remembered !== NONE && this.frames.isAt(this.stacks.frame(remembered), dso, address)) {
      return remembered as StackIndex;
    }
    return this.stacks.intern(prefix, this.frames.intern(dso, address));
  }

  /** False while a frame has no function of its own; it becomes `[unknown]` in the end. */
  isNamed(frame: number): boolean {
    return this.frames.func(frame) !== NONE;
  }

  /**
   * The frame of a call to `func` that was inlined at `frame`, `depth` calls deep (from 1). Add all
   * calls of a frame one after the other, the outermost first.
   */
  addInlined(frame: number, dso: number, address: number, depth: number, func: number): FrameIndex {
    const row = this.frames.intern(dso, address, depth);
    this.frames.setFunc(row, func);
    this.#inlined.add(frame, row);
    return row;
  }

  /**
   * Frames left unresolved become `[unknown]` of their DSO. The builder must not be used
   * afterwards (`takeSlice`: for those who go on).
   */
  finish(parts: ProfileParts): Profile {
    return this.#finish(parts, this.samples.finish());
  }

  #finish(parts: ProfileParts, samples: SampleTable, hasLost = hasLosses(parts)): Profile {
    const unknown = this.strings.intern(UNKNOWN_FUNC_NAME);
    const lostStack = hasLost ? this.#internLostStack() : NONE;
    for (let frame = 0; frame < this.frames.length; frame++) {
      if (this.frames.func(frame) === NONE) {
        this.frames.setFunc(frame, this.funcs.intern(unknown, this.frames.dso(frame)));
      }
    }
    const profile: Profile = {
      ...parts,
      lostStack,
      strings: this.strings.strings,
      funcs: this.funcs.finish(parts.dsos),
      frames: this.frames.finish(),
      stacks: this.stacks.finish(),
      samples,
    };
    return this.#inlined.length === 0 ? profile : this.#expandInlined(profile);
  }

  /**
   * The profile of the samples since the last slice, which are then forgotten; the other tables go
   * on. Frames that have no name by now stay `[unknown]`, unless `frames.setFunc` is called again.
   */
  takeSlice(parts: ProfileParts): Profile {
    return this.#finish(parts, this.samples.take());
  }

  /**
   * The profile of a slice with no rows but those that its samples refer to, in tables of their own: for a few samples of
   * tables that have grown for long. Inlined frames and source lines are those that `locate` gives them.
   * `[lost]` is always among them: a sample may end a loss that an earlier slice has noted.
   */
  takeSmallSlice(parts: ProfileParts, locate?: (small: ProfileBuilder) => void): Profile {
    const samples = this.samples.take();
    const small = new ProfileBuilder();
    const newStack = new Map<number, StackIndex>();
    for (let row = 0; row < samples.length; row++) {
      const stack = samples.stack[row];
      small.samples.add(
        stack === NONE ? NONE : this.#copyStack(stack, newStack, small),
        samples.thread[row],
        small.strings.intern(this.strings.get(samples.comm[row] as StringIndex)),
        samples.event[row],
        samples.stream[row],
        samples.cpu[row],
        samples.timeNs[row],
        samples.periodEvents[row],
        samples.count === null ? Number.NaN : samples.count[row],
      );
    }
    locate?.(small);
    return small.#finish(parts, small.samples.finish(), true);
  }

  /**
   * The samples of `event` so far as one for each stack, whose period is the sum of theirs, in tables of their own: these
   * go on as if nobody had asked. `name` gives frames their functions.
   */
  sumSoFar(event: number, parts: ProfileParts, name: (small: ProfileBuilder) => void): Profile {
    const { length, stack, thread, event: events, periodEvents } = this.samples.soFar();
    // A slot more for samples without a stack, which is −1.
    const sums = new Float64Array(this.stacks.length + 1);
    const threads = new Int32Array(this.stacks.length + 1).fill(NONE);
    for (let row = 0; row < length; row++) {
      if (events[row] !== event) continue;
      const slot = stack[row] + 1;
      sums[slot] = sums[slot] + periodEvents[row];
      threads[slot] = thread[row];
    }
    const small = new ProfileBuilder();
    const newStack = new Map<number, StackIndex>();
    const comm = small.strings.intern('');
    for (let slot = 0; slot < sums.length; slot++) {
      if (sums[slot] === 0) continue;
      const copy = slot === 0 ? NONE : this.#copyStack(slot - 1, newStack, small);
      small.samples.add(copy, threads[slot], comm, event, NONE, NONE, 0, sums[slot], Number.NaN);
    }
    name(small);
    return small.#finish(parts, small.samples.finish());
  }

  /** The row in `small` of a path of these tables. */
  #copyStack(stack: number, newStack: Map<number, StackIndex>, small: ProfileBuilder): StackIndex {
    const missing: number[] = [];
    let known: StackIndex | undefined;
    for (let row = stack; row !== NONE && known === undefined; row = this.stacks.prefix(row)) {
      known = newStack.get(row);
      if (known === undefined) missing.push(row);
    }
    let copy: number = known ?? NONE;
    for (let row = missing.pop(); row !== undefined; row = missing.pop()) {
      const frame = this.stacks.frame(row);
      const dso = this.frames.dso(frame);
      const added = small.frames.intern(dso, this.frames.address(frame));
      const func = this.frames.func(frame);
      if (func !== NONE) {
        const name = small.strings.intern(this.strings.get(this.funcs.name(func)));
        small.frames.setFunc(added, small.funcs.intern(name, this.funcs.dso(func)));
      }
      copy = small.stacks.intern(copy, added);
      newStack.set(row, copy as StackIndex);
    }
    return copy as StackIndex;
  }

  #expandInlined(profile: Profile): Profile {
    const { stacks, newStack } = this.#inlined.expand(profile.stacks, profile.frames.length);
    const { samples, lostStack, askedIn } = profile;
    const stack = lookUpNarrow(samples.stack, newStack, stacks.length);
    return {
      ...profile,
      stacks,
      samples: { ...samples, stack },
      ...(askedIn && { askedIn: askedIn.map((row) => newStack[row]) }),
      lostStack: (lostStack === NONE ? NONE : newStack[lostStack]) as Profile['lostStack'],
    };
  }

  #internLostStack(): StackIndex {
    const frame = this.frames.intern(NONE, NO_ADDRESS, NO_DEPTH);
    this.frames.setFunc(frame, this.funcs.intern(this.strings.intern(LOST_FUNC_NAME), NONE));
    return this.stacks.intern(NONE, frame);
  }
}

/** No code lies at the last address, nor is anything inlined so deep. */
const NO_ADDRESS = -1;
const NO_DEPTH = 255;

function hasLosses({ losses }: ProfileParts): boolean {
  return losses.some(({ lostRecords, lostSamples }) => lostRecords > 0 || lostSamples > 0);
}
