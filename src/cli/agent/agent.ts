import { Deferred } from '../../base/deferred.ts';
import { FailedError, UsageError } from '../../base/errors.ts';
import { loadBinding } from '../../native/binding.ts';
import type { AGENT } from '../../options/agent.ts';
import type { AskedOf } from '../../options/option.ts';
import { callAfter } from '../../system/time/long-timer.ts';
import { type RunningAgent, startAgent } from '../../tools/agent/agent.ts';
import type { AgentConfig } from '../../tools/agent/config/agent-config.ts';
import { readAgentConfig } from '../../tools/agent/config/parse-config.ts';
import { readConfigFile, watchConfigFile } from '../../tools/agent/config/watch-config.ts';
import { notify, reportFailure } from '../shared/failure.ts';
import { writeOut } from '../shared/stdout.ts';

/**
 * Tables of symbols are larger, and live for very different times: among others their memory was never given back, up to as
 * much again as all that is used.
 */
const LEAST_BLOCK_BYTES = 128 << 10;

/** The options that a command line of `agent` gives, by their keys. */
export type AgentFlags = AskedOf<typeof AGENT>;

/** `perf-ts agent`: profiles this machine until a signal ends it. */
export async function runAgent(flags: AgentFlags): Promise<void> {
  const config = readConfig(flags);
  if (flags.checkConfig) {
    writeOut(`${JSON.stringify(config, null, 2)}\n`);
    return;
  }
  const notice = (text: string): void => {
    if (!flags.quiet) notify(`perf-ts: ${text}`);
  };
  loadBinding().mapBlocksFrom(LEAST_BLOCK_BYTES);
  const agent = await startAgent({ config, onNotice: notice });
  notice(describeStart(config, agent));
  const stop = untilStopped(flags);
  const reload = (): void => {
    void reloadConfig(agent, flags, notice);
  };
  process.on('SIGHUP', reload);
  const unwatch = flags.config === undefined ? () => {} : watchConfigFile(flags.config, reload);
  let why: StopReason | 'ended';
  try {
    why = await Promise.race([stop.asked, agent.ended.then(() => 'ended' as const)]);
    if (why === 'SIGINT' || why === 'SIGTERM') notice(`${why}: ends with this window`);
  } finally {
    stop.forget();
    unwatch();
    await agent.stop();
  }
  notice(describeEnd(agent.totals));
  // Whoever watches over it is to start it anew.
  if (why === 'ended') throw new FailedError('sampling has ended by itself');
}

type StopReason = 'SIGINT' | 'SIGTERM' | 'duration';

/** Settles at a signal, or after `--duration`. */
function untilStopped({ durationMs }: AgentFlags): {
  readonly asked: Promise<StopReason>;
  readonly forget: () => void;
} {
  const asked = new Deferred<StopReason>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => asked.settle(signal));
  }
  const timer =
    durationMs === undefined ? null : callAfter(durationMs, () => asked.settle('duration'));
  return { asked: asked.promise, forget: () => timer?.cancel() };
}

/** Reports what is wrong in a new configuration, and the agent goes on with what it has. */
async function reloadConfig(
  agent: RunningAgent,
  flags: AgentFlags,
  notice: (text: string) => void,
): Promise<void> {
  try {
    await agent.reload(readConfig(flags));
    notice('the configuration was read again');
  } catch (error) {
    reportFailure(error);
    notice('the configuration stays as it was');
  }
}

function readConfig(flags: AgentFlags): AgentConfig {
  const { config, sink, freq, window, label, spool, listen, idle } = flags;
  if (config !== undefined) {
    const other = Object.entries({ sink, freq, window, label, spool, listen, idle }).find(
      ([, value]) => value !== undefined,
    );
    if (other !== undefined) {
      throw new UsageError(`--${other[0]}: with --config it belongs into the file`);
    }
    return readConfigFile(config);
  }
  if (sink === undefined) {
    throw new UsageError('nothing says where the profiles go', [
      'a folder:     perf-ts agent --sink folder:/var/lib/perf-ts',
      'a server:     perf-ts agent --sink pyroscope:http://host:4040',
      'both, more:   perf-ts agent --config /etc/perf-ts/agent.json',
    ]);
  }
  return readAgentConfig(
    {
      sinks: sink.map(readSink),
      ...(freq !== undefined && { sampling: { hz: freq } }),
      ...(window !== undefined && { window: { seconds: window / 1000 } }),
      ...(label !== undefined && { labels: Object.fromEntries(label.map(readLabel)) }),
      ...(spool !== undefined && { spool: { directory: spool } }),
      ...(listen !== undefined && { listen }),
      ...(idle && { services: { idle } }),
    },
    'command line',
  );
}

function readSink(text: string, row: number): object {
  const [, type, target] = /^([a-z]+):(.+)$/.exec(text) ?? [];
  if (type === undefined) throw new UsageError(`--sink ${text}: expected TYPE:TARGET`);
  const name = `${type}${row === 0 ? '' : row}`;
  if (type === 'folder') return { type, name, path: target };
  // The scheme is the type: clickhouse://HOST/DATABASE.
  return { type, name, url: target.startsWith('//') ? text : target };
}

function readLabel(text: string): [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new UsageError(`--label ${text}: expected NAME=VALUE`);
  }
  return [name, value];
}

/** Sums of all windows, what is left out of profiles among them; without the counters' where these could not be read. */
function describeEnd({ samples, lost, weighed, counted }: RunningAgent['totals']): string {
  const sums = [`weights add up to ${Math.round(weighed)}`];
  if (counted !== null) sums.push(`the counters to ${Math.round(counted)}`);
  return `${samples} samples, lost ${lost}; ${sums.join(', ')}`;
}

function describeStart({ sampling, windowMs, sinks }: AgentConfig, agent: RunningAgent): string {
  const { event, hz, period } = sampling;
  const rate = period === null ? `${hz} Hz` : `every ${period} events`;
  const to = sinks.map(({ name }) => name).join(', ');
  const { metricsPort } = agent;
  const metrics = metricsPort === null ? '' : `; metrics on port ${metricsPort}`;
  return `profiling this machine: ${event} at ${rate}, windows of ${windowMs / 1000} s to ${to}${metrics}`;
}
