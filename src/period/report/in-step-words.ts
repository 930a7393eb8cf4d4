import { formatCount, formatNanos, formatShare } from '../../base/numbers.ts';
import { primeFrom } from '../../base/primes.ts';
import type { AlikeTasks } from '../alike-tasks.ts';
import { type InStep, periodOffStep, rateOffStep } from '../in-step.ts';

/** How the event was sampled: of the two that is asked for which is not null. */
export type AskedSampling = {
  readonly fixedPeriod: number | null;
  readonly frequencyHz: number | null;
};

/** One sentence for the finding, without a full stop. */
export function inStepText(found: InStep): string {
  switch (found.kind) {
    case 'cycle':
      return (
        `samples fall in step with the work: the same functions come again every ` +
        `${formatCount(found.every)} samples; the intervals allow for it` +
        (found.atRate ? ', but may not hold where it wakes a little late each time' : '')
      );
    case 'clock':
      return (
        `the work goes by a clock of ${formatNanos(found.everyNs)}, and samples fall on few of its ` +
        'places; the intervals allow for it, but may not hold where it wakes a little late each time'
      );
    case 'loop':
      return (
        `the same functions come again every ${formatCount(Math.round(found.events))} events or so, and ` +
        'samples move through that slowly; the intervals allow for it'
      );
    case 'regular':
      return (
        `the work may be nearly the same each time, since functions come again every ${formatCount(found.every)} ` +
        'samples or so; samples then fall on the same places of it, and the intervals allow for that'
      );
    case 'one-place':
      return onePlaceText(found);
    case 'tasks':
      return tasksText(found);
  }
}

function tasksText({ tasks, share, repeats }: AlikeTasks): string {
  if (repeats > 0) {
    return (
      `${formatCount(tasks)} tasks go from one function to the next at the same samples, so each is seen ` +
      'at the same places; the intervals allow for it, not for functions between these places'
    );
  }
  return (
    `${formatShare(share)} of the events came before the first samples of ` +
    `${formatCount(tasks)} tasks, which may begin alike; the intervals allow for these events, not for ` +
    'other places that all tasks were sampled at'
  );
}

function onePlaceText({ samples, others, places }: InStep & { kind: 'one-place' }): string {
  const all = others === 0 ? 'all' : `all but ${formatCount(others)} of`;
  const where =
    places > 1
      ? `in one place until their thread moves to another CPU, then in another (${places} in all): if ` +
        'these are places of a loop, it has others that no sample shows'
      : 'in one place: if that is one of a loop, the loop has others that no sample shows';
  return `${all} ${formatCount(samples)} samples at equal intervals are ${where}`;
}

/** Whether intervals allow for all of it: samples are not all at some places of a loop, of a clock or of alike tasks. */
export function areIntervalsSure(found: InStep): boolean {
  return (
    found.kind === 'loop' ||
    found.kind === 'regular' ||
    (found.kind === 'cycle' && found.atRate !== true)
  );
}

/** The option of `record` that would avoid it, or tell whether it is so; null where none is known. */
export function inStepOption(
  found: InStep,
  { fixedPeriod, frequencyHz }: AskedSampling,
): string | null {
  const isMoreOften = found.kind === 'tasks' || found.kind === 'regular';
  if (fixedPeriod !== null) {
    const shorter = primeFrom(Math.max(2, fixedPeriod / SHORTER));
    return `-c ${isMoreOften ? shorter : periodOffStep(fixedPeriod)}`;
  }
  if (frequencyHz === null) return null;
  return `-F ${isMoreOften ? SHORTER * frequencyHz : rateOffStep(frequencyHz)}`;
}

/** The remedy of `inStepOption` as part of a sentence. */
export function inStepRemedy(found: InStep, asked: AskedSampling): string {
  const option = inStepOption(found, asked);
  return option === null ? 'record at another rate' : `record with ${option}`;
}

/** Tasks and regular work are to be sampled so many times as often. */
const SHORTER = 8;
