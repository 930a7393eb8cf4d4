import type { PeriodInput } from '../types.ts';
import { LOST_LATENESS_NS } from './loss-gaps.ts';

/**
 * Adds, for events without counts, what lost samples stood for to `lostBefore` (parallel to the
 * sample table): the counter's final value less the weights that arrived. How much a single gap
 * held is not known; each LOST record gets its share by the samples it announces, at the next
 * sample of its CPU. What the streams counted after their last samples is in it too, a period each
 * at most.
 */
export function addUnlocatedLoss(
  lostBefore: Float64Array,
  arrived: Float64Array,
  input: PeriodInput,
): void {
  for (let event = 0; event < input.events.length; event++) {
    if (input.events[event]!.mode === 'clock' || !hasLost(input, event)) continue;
    const missing = missingEvents(input, event, arrived);
    if (missing > 0) spread(lostBefore, input, event, missing);
  }
}

function hasLost({ losses }: PeriodInput, event: number): boolean {
  return (losses ?? []).some(
    (loss) => loss.event === event && loss.lostRecords + loss.lostSamples > 0,
  );
}

/** Final value less Σ `arrived`; 0 where it is not known, or where counts locate the gaps. */
function missingEvents(
  { samples, eventTotals }: PeriodInput,
  event: number,
  arrived: Float64Array,
) {
  let rest = eventTotals?.[event] ?? 0;
  for (let i = 0; i < samples.length; i++) {
    if (samples.event[i] !== event) continue;
    if (!Number.isNaN(samples.count[i])) return 0;
    rest -= arrived[i] as number;
  }
  return Math.max(0, rest);
}

/** Gives every gap's share to the next sample of its CPU, what is left over to the last one. */
function spread(
  lostBefore: Float64Array,
  { samples, lossGaps }: PeriodInput,
  event: number,
  missing: number,
): void {
  const gaps = (lossGaps ?? []).filter((gap) => gap.event === event || gap.event < 0);
  const announced = gaps.reduce((sum, gap) => sum + gap.samples, 0);
  const perSample = announced > 0 ? missing / announced : 0;
  const pending = new Map<number, number>();
  let left = missing;
  let next = 0;
  let last = -1;
  for (let i = 0; i < samples.length; i++) {
    if (samples.event[i] !== event) continue;
    last = i;
    const until = (samples.timeNs[i] as number) + LOST_LATENESS_NS;
    for (; next < gaps.length && gaps[next]!.timeNs <= until; next++) {
      const { cpu, samples: lost } = gaps[next]!;
      pending.set(cpu, (pending.get(cpu) ?? 0) + lost);
    }
    const cpu = samples.cpu[i] as number;
    const share = Math.round((pending.get(cpu) ?? 0) * perSample);
    if (share === 0) continue;
    pending.delete(cpu);
    const given = Math.min(left, share);
    lostBefore[i]! += given;
    left -= given;
  }
  if (last >= 0) lostBefore[last]! += left;
}
