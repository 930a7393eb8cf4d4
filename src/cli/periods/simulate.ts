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
import { parseSimulationSpec } from './simulate-spec.ts';

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
