import { ProfileBuilder } from '../../src/profile/profile-builder.ts';
import type { Profile } from '../../src/profile/types.ts';
import type { ServiceConfig } from '../../src/tools/agent/config/agent-config.ts';
import { type DividedWindow, divideWindow } from '../../src/tools/agent/window/service-profiles.ts';

/** A sink's settings that say how it is asked, where nothing is asked for. */
export const NO_CREDENTIALS = {
  ...{ tokenFile: null, tokenEnv: null, user: null, tenant: null, keepDays: null },
  ...{ caFile: null, certFile: null, keyFile: null },
};

/** Three processes: two of one service, and idle time. Weights are 100, 20, 3 and 1000. */
export function drawnWindow(): { profile: Profile; weights: number[] } {
  const builder = new ProfileBuilder();
  const frameOf = (name: string, address: number) => {
    const frame = builder.frames.intern(0, address);
    builder.frames.setFunc(frame, builder.funcs.intern(builder.strings.intern(name), 0));
    return frame;
  };
  const main = builder.stacks.intern(-1, frameOf('main', 0x10));
  const score = builder.stacks.intern(main, frameOf('score', 0x20));
  const comm = builder.strings.intern('node');
  [
    [score, 0],
    [main, 1],
    [score, 2],
    [main, 3],
  ].forEach(([stack, thread], i) => {
    builder.samples.add(stack, thread, comm, 0, -1, 0, i * 1e6, 50, Number.NaN);
  });
  const threads = [11, 12, 13, 0].map((pid) => ({ pid, tid: pid, generation: 0, comm: 'node' }));
  const profile = builder.takeSmallSlice({
    meta: {
      commandLine: [],
      hostname: null,
      kernel: null,
      arch: null,
      startTime: '0',
      clock: 'perf',
      notes: ['7 samples of the machine were lost'],
    },
    events: [
      {
        name: 'cpu-clock',
        type: 1,
        mode: 'clock',
        frequencyHz: 19,
        fixedPeriod: null,
        unit: 'nanoseconds',
      },
    ],
    dsos: [{ kind: 'user', name: 'app', path: '/bin/app', buildId: 'ab12' }],
    threads,
    streams: [],
    losses: [],
  });
  return { profile, weights: [100, 20, 3, 1000] };
}

export const FACTS = {
  id: 'w',
  startNs: 1_700_000_000_000_000_000n,
  endNs: 1_700_000_010_000_000_000n,
  zeroNs: 1_700_000_000_000_000_000n,
};

type Drawn = { readonly hasLoss?: boolean } & Partial<
  Pick<ServiceConfig, 'sampleLabels' | 'only' | 'except' | 'rules'>
>;

export function divided({
  hasLoss = false,
  sampleLabels = ['comm'],
  only = [],
  except = [],
  rules = [],
}: Drawn = {}): DividedWindow {
  const { profile, weights } = drawnWindow();
  return divideWindow(
    profile,
    {
      kind: 'events',
      unit: 'nanoseconds',
      values: Float64Array.from(weights),
      ...(hasLoss && { lostBefore: Float64Array.of(0, 7, 0, 0) }),
    },
    profile.threads.map(({ pid }) =>
      pid === 0
        ? { name: 'idle', source: 'idle', attributes: {} }
        : {
            name: pid === 13 ? 'db' : 'shop',
            source: 'environment',
            attributes: { 'service.version': '1' },
          },
    ),
    { hasIdle: false, hasKernel: true, sampleLabels, only, except, rules },
  );
}
