import { Diagnostics } from '../../src/base/diagnostics.ts';
import type { LossGap } from '../../src/period/types.ts';
import type { EventIndex, Profile } from '../../src/profile/types.ts';
import { DuckDBEngine } from '../../src/query/duckdb.ts';
import type { QueryValue } from '../../src/query/engine.ts';
import { decodeLoops } from '../../src/read/jit/loop-streams.ts';
import { AnalysedProfile } from '../../src/read/outputs/analysed-profile.ts';
import { recordingTables } from '../../src/read/outputs/recording-tables.ts';
import { profileFromText } from './profile-from-text.ts';
import { TurnStream } from './turn-stream.ts';

export function analysed(profile: Profile, lossGaps: readonly LossGap[] = []): AnalysedProfile {
  return new AnalysedProfile({
    recorded: profile,
    periodInput: { ...profile, lossGaps },
    diagnostics: new Diagnostics(),
    truncatedAt: null,
  });
}

/** The same with turns of the first thread's event loop: one over its first two samples, one behind them. */
export function withTurns(profile: Profile): Profile {
  const [{ pid, tid }] = profile.threads;
  const stream = new TurnStream(pid, tid)
    .turn({ fromNs: 0, lengthNs: 2e6, waitedNs: 5e5 }, 1e6, 1)
    .turn({ fromNs: 2e6, lengthNs: 100e6 });
  const parts = [{ pid, bytes: stream.attachment() }];
  const { turns } = decodeLoops(parts, { high: 0, low: 0 }, profile.threads, 0, new Diagnostics());
  return turns === null ? profile : { ...profile, turns };
}

/** The same with the counter's values in the samples, which counted 40 more events before sample 7. */
function counted(profile: Profile): Profile {
  let sum = 0;
  const count = Float64Array.from(profile.samples.periodEvents, (period, row) => {
    sum += period + (row === 7 ? 40 : 0);
    return sum;
  });
  return { ...profile, samples: { ...profile.samples, count } };
}

/** Work with phases, recursion, a second DSO, a sample without a stack, and two samples lost. */
export const DRAWN = analysed(
  withTurns(
    counted(
      profileFromText(
        `
    period 10         10         20         20         5          5          30         10         10         10
           main       main       main       main       main       main       main       main       main       -
           work       work       work       idle       work       work       parse      parse      idle
           leaf       leaf       work                  read@libc                        leaf       work
                                 leaf
    `,
        { hostname: 'here', commandLine: ['perf-ts', 'record'] },
        [{ event: 0 as EventIndex, lostRecords: 2, lostSamples: 2 }],
      ),
    ),
  ),
  [{ event: 0, cpu: 0, timeNs: 6.5e6, samples: 2 }],
);

/** A later version of it, in which `fresh` is new. */
export const LATER = analysed(
  profileFromText(
    `
    period 10         10         20         20         5          5          30         10
           main       main       main       main       main       main       main       main
           work       work       work       parse      fresh      parse      parse      parse
           leaf       leaf       work                                                   leaf
                                 leaf
    `,
    { hostname: 'there', commandLine: ['perf-ts', 'record'] },
  ),
);

export const LIMITS = { maxRows: 10_000, timeoutSeconds: 60 };

/** An engine with these recordings as 1, 2, … */
export async function engineWith(...opened: readonly AnalysedProfile[]): Promise<DuckDBEngine> {
  const engine = await DuckDBEngine.open();
  for (const [at, one] of opened.entries()) {
    await engine.add(at + 1, recordingTables(one, { name: `${at + 1}.data` }));
  }
  await engine.lock();
  return engine;
}

export async function rowsOf(engine: DuckDBEngine, sql: string): Promise<QueryValue[][]> {
  const { rows } = await engine.run(sql, LIMITS);
  return rows.map((row) => [...row]);
}
