// The lines of a period report below its headline, for a terminal and for a page.

import { formatCount, formatNanos } from '../../base/numbers.ts';
import { mattersText } from './advice.ts';
import type { EventReport } from './event-report.ts';
import { inStepText } from './in-step-words.ts';
import type { StreamReport } from './stream-report.ts';
import * as words from './words.ts';

/** Label and text. */
export type Line = readonly [label: string, text: string];

const MAX_LISTED = 5;

/** A line, where there is something to say. */
export function present(label: string, text: string | null): Line[] {
  return text === null ? [] : [[label, text]];
}

/** How one stream's period went. `width`: columns that the first periods may take. */
export function streamLines(stream: StreamReport, width: number): Line[] {
  return [
    ...present('period', words.steadyText(stream)),
    ...present('overshoot', words.overshootText(stream)),
    ...present('event rate', words.eventRateText(stream)),
    ['first', words.firstPeriods(stream, width)],
    ...(stream.idle.gaps > 0 ? present('idle', words.idleText(stream)) : []),
    ...stream.reRamps.slice(0, MAX_LISTED).map((ramp): Line => ['re-ramp', words.reRampText(ramp)]),
    ...leftOut('re-ramp', stream.reRamps.length),
    ...present('burst', words.burstText(stream)),
    ...stream.phases
      .slice(0, MAX_LISTED)
      .map(
        (phase): Line => [
          'phase',
          `${formatNanos(phase.startNs)} to ${formatNanos(phase.endNs)}: ` +
            `${words.formatRate(phase.eventRateHz)} events/s, period ${formatCount(phase.period)}`,
        ],
      ),
    ...leftOut('phase', stream.phases.length),
  ];
}

function leftOut(label: string, count: number): Line[] {
  return count > MAX_LISTED ? [[label, `… and ${formatCount(count - MAX_LISTED)} more`]] : [];
}

/** Lines about an event as a whole, with the model of its largest stream. */
export function eventLines(event: EventReport, largest: StreamReport | undefined): Line[] {
  const isAdaptive = event.mode === 'frequency' && largest !== undefined;
  return [
    ...(event.lost.samples > 0 ? present('lost', words.lostText(event)) : []),
    ...present('lost where', words.concentrationText(event)),
    ...present('ledger', words.ledgerText(event)),
    ...(event.throttled.count > 0 ? present('throttled', words.throttledText(event)) : []),
    ...present('in step', event.inStep === null ? null : inStepText(event.inStep)),
    ...present('rule', isAdaptive ? words.ruleText(event) : null),
    ...present('ramps', words.rampsText(event)),
    ...present('model', modelOf(largest)),
    ...present('matters', isAdaptive ? mattersText(event) : null),
  ];
}

/** A share of fewer periods means little. */
const MIN_COMPARED = 50;

function modelOf(largest: StreamReport | undefined): string | null {
  const model = largest?.model ?? null;
  return model === null || model.compared < MIN_COMPARED ? null : words.modelText(model);
}
