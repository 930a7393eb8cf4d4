import { UsageError } from '../../base/errors.ts';
import { formatCount, formatNanos } from '../../base/numbers.ts';
import type { AskedOf } from '../../options/option.ts';
import type { PERIODS } from '../../options/periods.ts';
import {
  inputOfSimulation,
  type ProgramStretch,
  simulatePeriod,
} from '../../period/model/simulate.ts';
import { reportPeriods } from '../../period/report/report.ts';
import { formatPeriods } from '../render/periods-text.ts';
import { wantsColour } from '../shared/colour.ts';
import { printJson, writeText } from '../shared/stdout.ts';

/** More than a person waits for: some seconds, half a gigabyte. */
const MAX_SAMPLES = 10e6;

/** `perf-ts periods --simulate`: how the period would behave, before anything is recorded. */
export function runSimulate(spec: string, flags: AskedOf<typeof PERIODS>): void {
  const { freq: frequencyHz } = flags;
  const stretches = parseSimulationSpec(spec);
  const hz = Number(flags.hz);
  checkSize(stretches, frequencyHz, hz);
  const options = { frequencyHz, hz, rounding: flags.rounding, kind: flags.eventKind, stretches };
  const simulated = simulatePeriod(options);
  const report = reportPeriods(inputOfSimulation(simulated, options));
  if (flags.json) {
    const { kind, rounding } = options;
    printJson({ ...report, simulation: { kind, frequencyHz, hz, rounding, stretches } });
    return;
  }
  const eighths = flags.rounding === 'up' ? 'up (before August 2024)' : 'away from zero';
  const title = [
    'Simulation: nothing was recorded. What the kernel would do with',
    `  events   ${stretches.map(formatStretch).join(', ')}`,
    `  kernel   HZ = ${hz}, ${flags.eventKind} event, eighths rounded ${eighths}`,
    '',
  ];
  const lines = formatPeriods(report, { colour: wantsColour() });
  writeText(`${[...title, ...lines].join('\n')}\n`);
}

function checkSize(stretches: readonly ProgramStretch[], frequencyHz: number, hz: number): void {
  const seconds = stretches.reduce((sum, { durationNs }) => sum + durationNs, 0) / 1e9;
  const expected = seconds * (frequencyHz + hz);
  if (expected <= MAX_SAMPLES) return;
  throw new UsageError(
    `--simulate: ${formatCount(seconds)} s at ${formatCount(frequencyHz)} Hz are about ` +
      `${formatCount(expected)} samples and ticks, more than ${formatCount(MAX_SAMPLES)}`,
    ['simulate a shorter time or a lower rate'],
  );
}

function formatStretch({ durationNs, eventsPerSecond, isAsleep }: ProgramStretch): string {
  const duration = formatNanos(durationNs);
  if (isAsleep) return `asleep for ${duration}`;
  if (eventsPerSecond === 0) return `none for ${duration}`;
  return `${formatCount(eventsPerSecond)}/s for ${duration}`;
}

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
