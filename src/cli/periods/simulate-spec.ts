import { UsageError } from '../../base/errors.ts';
import type { ProgramStretch } from '../../period/model/simulate.ts';

const EXAMPLE = "for example '1M/s for 100ms, 10k/s for 1s, sleep for 500ms, 1M/s for 100ms'";

const DECIMAL_UNITS: Record<string, number> = { '': 1, k: 1e3, M: 1e6, G: 1e9 };
const TIME_UNITS: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

/**
 * Event rates over time, as `--simulate` takes them:
 *
 *     spec     stretch, stretch …
 *     stretch  RATE/s for DURATION     events come evenly
 *              idle for DURATION       the program runs, without events
 *              sleep for DURATION      the task sleeps: no tick meets it
 *     RATE     250, 10k, 1.5M, 2G
 *     DURATION 100ns, 20us, 5ms, 1s
 *
 * Throws `UsageError` for anything else.
 */
export function parseSimulationSpec(spec: string): ProgramStretch[] {
  return spec.split(',').map((part) => {
    const match = /^(.+?)\s+for\s+(.+)$/.exec(part.trim());
    if (!match) {
      throw new UsageError(`--simulate: '${part.trim()}' is not 'RATE/s for DURATION'`, [EXAMPLE]);
    }
    const [, what, duration] = match as unknown as [string, string, string];
    const durationNs = parseDuration(duration);
    if (what === 'sleep') return { durationNs, eventsPerSecond: 0, isAsleep: true };
    if (what === 'idle') return { durationNs, eventsPerSecond: 0 };
    return { durationNs, eventsPerSecond: parseRate(what) };
  });
}

function parseRate(text: string): number {
  const match = /^(\d+(?:\.\d+)?)([kMG]?)\/s$/.exec(text);
  const rate = match ? Number(match[1]) * DECIMAL_UNITS[match[2]] : Number.NaN;
  if (!(rate > 0)) {
    throw new UsageError(
      `--simulate: '${text}' is not a rate: a number above 0, k, M or G, and /s; or idle or sleep`,
      [EXAMPLE],
    );
  }
  return rate;
}

function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ns|us|µs|ms|s)$/.exec(text);
  const durationNs = match ? Number(match[1]) * TIME_UNITS[match[2]] : Number.NaN;
  if (!(durationNs > 0)) {
    throw new UsageError(
      `--simulate: '${text}' is not a duration: a number above 0 with ns, us, ms or s`,
      [EXAMPLE],
    );
  }
  return durationNs;
}
