import { describe, expect, it } from 'vitest';
import { addWaitReasons } from '../../../src/profile/off-cpu/wait-reasons.ts';
import {
  STATE_PREEMPTED,
  STATE_UNKNOWN,
  STATE_WOKEN,
  waitState,
} from '../../../src/profile/off-cpu/wait-states.ts';
import { ProfileBuilder } from '../../../src/profile/profile-builder.ts';
import type { Dso, Profile } from '../../../src/profile/types.ts';

const KERNEL = 0;
const PROGRAM = 1;
const DSOS = [
  { kind: 'kernel', name: '[kernel.kallsyms]', path: '[kernel.kallsyms]', buildId: null },
  { kind: 'user', name: 'app', path: '/bin/app', buildId: null },
] as const satisfies readonly Dso[];

/** A sample for each stack, drawn from the root: `main read | ksys_read schedule`, kernel behind |. */
function profileOf(stacks: readonly string[]): Profile {
  const builder = new ProfileBuilder();
  const addresses = new Map<string, number>();
  for (const text of stacks) {
    let stack = -1;
    let dso = PROGRAM;
    for (const name of text.split(' ').filter((word) => word !== '')) {
      if (name === '|') {
        dso = KERNEL;
        continue;
      }
      const address = addresses.get(name) ?? addresses.size * 16;
      addresses.set(name, address);
      const frame = builder.frames.intern(dso, address);
      builder.frames.setFunc(frame, builder.funcs.intern(builder.strings.intern(name), dso));
      stack = builder.stacks.intern(stack, frame);
    }
    builder.samples.add(stack, 0, 0, 0, 0, 0, 0, 1, Number.NaN);
  }
  return builder.finish({
    meta: {
      commandLine: [],
      hostname: null,
      kernel: null,
      arch: null,
      startTime: '0',
      clock: 'monotonic',
      notes: [],
    },
    events: [],
    dsos: [...DSOS],
    threads: [{ pid: 1, tid: 1, generation: 0, comm: 'app' }],
    streams: [],
    losses: [],
  });
}

/** The stack of a sample, root first. */
function draw({ samples, stacks, frames, funcs, strings }: Profile, row: number): string {
  const names: string[] = [];
  let stack = samples.stack[row];
  for (; stack >= 0; stack = stacks.prefix[stack]) {
    const func = frames.func[stacks.frame[stack]];
    names.unshift(strings[funcs.name[func]]);
  }
  return names.join(' ');
}

/** Stack, state, and where it was woken who did it. */
function reasonsOf(...cases: readonly (readonly [string, number, number?])[]): string[] {
  const profile = profileOf(cases.map(([stack]) => stack));
  const waits = {
    length: cases.length,
    row: Int32Array.from(cases, (_, row) => row),
    state: Int32Array.from(cases, ([, state]) => state),
    waker: Int32Array.from(cases, ([, , waker = -1]) => waker),
    wakers: ['server/12', 'an interrupt'],
  };
  const changed = addWaitReasons(profile, waits);
  for (let row = 0; row < changed.stacks.length; row++) {
    expect(changed.stacks.prefix[row]).toBeLessThan(row);
  }
  return cases.map((_, row) => draw(changed, row));
}

describe('the reason of a wait', () => {
  it("the wait reason replaces the scheduler's frames", () => {
    expect(
      reasonsOf(
        ['main read | ksys_read pipe_read schedule __schedule', 1],
        ['main | do_nanosleep schedule __schedule.isra.0', 1],
        ['main | io_wait io_schedule_timeout schedule_timeout schedule __schedule', 2],
        ['main | rwsem_down schedule_preempt_disabled schedule __schedule', 2],
      ),
    ).toEqual([
      'main read ksys_read pipe_read [S sleeping in pipe_read]',
      'main do_nanosleep [S sleeping in do_nanosleep]',
      'main io_wait [D uninterruptible in io_wait]',
      'main rwsem_down [D uninterruptible in rwsem_down]',
    ]);
  });

  it('a thread that could go on has the wait reason [R runnable] or [R+ preempted]', () => {
    expect(
      reasonsOf(
        ['main | irqentry_exit_to_user_mode schedule __schedule', STATE_PREEMPTED],
        ['main sched_yield | do_sched_yield schedule __schedule', 0],
      ),
    ).toEqual([
      'main irqentry_exit_to_user_mode [R+ preempted]',
      'main sched_yield do_sched_yield [R runnable]',
    ]);
  });

  it('a woken thread is [R runnable] with its waker', () => {
    const stack = 'main read | ksys_read pipe_read schedule __schedule';
    expect(
      reasonsOf([stack, 1], [stack, STATE_WOKEN, 0], [stack, STATE_WOKEN, 1], [stack, STATE_WOKEN]),
    ).toEqual([
      'main read ksys_read pipe_read [S sleeping in pipe_read]',
      'main read ksys_read pipe_read [R runnable] [woken by server/12]',
      'main read ksys_read pipe_read [R runnable] [woken by an interrupt]',
      'main read ksys_read pipe_read [R runnable]',
    ]);
  });

  it('the wait reason is not named after a frame outside the kernel', () => {
    expect(reasonsOf(['main read', 1], ['| schedule __schedule', 1], ['', STATE_UNKNOWN])).toEqual([
      'main read [S sleeping]',
      '[S sleeping]',
      '[? waiting]',
    ]);
  });

  it('equal wait reasons share frame and stack', () => {
    const stack = 'main | pipe_read schedule __schedule';
    const profile = profileOf([stack, stack, `other ${stack}`]);
    const by = { waker: Int32Array.of(-1, -1, -1), wakers: [] };
    const waits = { length: 3, row: Int32Array.of(0, 1, 2), state: Int32Array.of(1, 1, 1), ...by };
    const changed = addWaitReasons(profile, waits);
    expect(changed.frames.length - profile.frames.length).toBe(1);
    expect(changed.stacks.length - profile.stacks.length).toBe(2);
    expect(changed.samples.stack[0]).toBe(changed.samples.stack[1]);
    expect(profile.samples.stack[0]).toBeLessThan(profile.stacks.length);
  });

  it('a profile without off-CPU samples gets no wait reasons', () => {
    const profile = profileOf(['main']);
    const nobody = new Int32Array(0);
    const none = { length: 0, row: nobody, state: nobody, waker: nobody, wakers: [] };
    expect(addWaitReasons(profile, none)).toBe(profile);
  });
});

describe('the state of a wait', () => {
  it.each([
    [0, 'R'],
    [1, 'S'],
    [2, 'D'],
    [4, 'T'],
    [8, 't'],
    [0x40, 'P'],
    [0x80, 'I'],
    [0x100, 'R+'],
    [0x800, '?'],
  ])('thread state 0x%s is %s', (state, letter) => {
    expect(waitState(state).letter).toBe(letter);
  });
});
