import { formatCount, formatTenth } from '../../base/numbers.ts';
import { wilsonInterval } from '../uncertainty/uncertainty.ts';
import type { EventReport } from './event-report.ts';
import { inStepRemedy } from './in-step-words.ts';

/** A difference in share of this many points is worth a line. */
const RAMP_DIFFERENCE = 0.02;
const FEW_EFFECTIVE = 400;
/** Profiles of which less than this stands elsewhere are read the same way. */
export const MATTERS = 0.01;
/** Less than this would be printed as 0. */
const UNSEEN = 0.0005;

/** Share of the profile that stands elsewhere by samples or by period; null if not compared. */
function difference({ weights }: EventReport): number | null {
  if (weights === null) return null;
  return Math.max(weights.distance.samples ?? 0, weights.distance.period ?? 0);
}

/** Whether it matters for this profile which weight is read; null where it can't be said. */
export function mattersText(event: EventReport): string | null {
  const most = difference(event);
  if (most === null || event.weights === null) return null;
  if (most < UNSEEN) return 'no: by samples, period or events, the profile is the same';
  if (most < MATTERS) {
    return `no: by samples, period or events, all but ${formatTenth(most)} of the profile is the same`;
  }
  const { samples, period } = event.weights.distance;
  return (
    `yes: by samples ${formatTenth(samples ?? 0)}, by period ${formatTenth(period ?? 0)} of the ` +
    'profile would stand under other functions than by events, the default'
  );
}

/** The advice, if there is any. */
export function adviceFor(event: EventReport): string[] {
  const { inStep, targetHz, fixedPeriod } = event;
  const offStep =
    inStep === null ? [] : [inStepRemedy(inStep, { fixedPeriod, frequencyHz: targetHz })];
  if (event.samples === 0 || event.mode !== 'frequency') return offStep;
  const [largest] = event.streams;
  if (event.streamCount === 1 && largest?.verdict === 'too-short') return ['record longer'];
  const advice: string[] = offStep;
  if (shouldWeighByEvents(event)) advice.push('weigh by events when comparing profiles');
  const short = event.verdicts['too-short']?.samples ?? 0;
  if (short > event.samples / 2) {
    advice.push(
      `${formatTenth(short / event.samples)} of the samples are of streams too short to settle: ` +
        'a fixed period (-c) has no ramps',
    );
  }
  const effective = event.effectiveSamples;
  if (effective !== null && effective < FEW_EFFECTIVE) {
    // Half the width of a 95 % interval around a share of one half.
    const { low, high } = wilsonInterval(0.5, 0.25 / effective, effective);
    const points = (high - low) / 2;
    advice.push(
      `${formatCount(event.samples)} samples tell as much as ${formatCount(effective)} of equal ` +
        `weight (50% is ±${(points * 100).toFixed(0)} points): record longer`,
    );
  }
  if (largest?.verdict === 'throttled') advice.push('ask for a lower rate');
  if (event.lost.samples > 0) advice.push('larger rings (-m) or a lower rate lose less');
  // Samples in step are told how far off their period is to be: this one may be a beat away from it.
  const period = inStep === null ? event.suggestedPeriod : null;
  if (period !== null && period > 1 && Number.isSafeInteger(period)) {
    advice.push(`-c ${period} would sample at about the rate asked, without ramps`);
  }
  return advice;
}

/** Judges by the profile if there is one to compare in, else by what ramps hold. */
function shouldWeighByEvents(event: EventReport): boolean {
  const most = difference(event);
  if (most !== null) return most >= MATTERS;
  const ramps = event.rampShare;
  return ramps !== null && Math.abs(ramps.samples - ramps.events) >= RAMP_DIFFERENCE;
}
