import { element } from '../dom/dom.ts';
import type { TimeCells } from '../worker/messages/time-messages.ts';

/** Colours of the pictures of time, from the style sheet, so that they follow the theme. */
export type TimeColours = {
  readonly samples: string;
  readonly ramp: string;
  readonly lost: string;
  readonly throttled: string;
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly panel: string;
  readonly accent: string;
};

const NAMES: readonly (keyof TimeColours)[] = [
  'samples',
  'ramp',
  'lost',
  'throttled',
  'text',
  'quiet',
  'line',
  'panel',
  'accent',
];

/** Canvases know nothing of `light-dark()`: the colours as they are computed now. */
export function readColours(of: HTMLElement): TimeColours {
  const probe = element('span', 'colour-probe');
  of.append(probe);
  const colours: Partial<Record<keyof TimeColours, string>> = {};
  for (const name of NAMES) {
    probe.style.color = `var(--${name})`;
    colours[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return colours as TimeColours;
}

type Mark = 'samples' | 'ramp' | 'lost' | 'throttled';

/** Words beside the colour that they explain. */
export function mark(name: Mark, text: string): HTMLElement {
  return element('span', 'legend-entry', element('span', `swatch swatch-${name}`), text);
}

/** The meaning of the colours that are there; a gap without any of them is idleness, and that only. */
export function renderMarkLegend({ ramp, lost, throttled }: TimeCells): HTMLElement[] {
  const isIn = (cells: Float64Array) => cells.some((value) => value > 0);
  return [
    mark('samples', 'samples'),
    ...(isIn(ramp) ? [mark('ramp', 'taken while the kernel searched for the period')] : []),
    ...(isIn(lost) ? [mark('lost', 'lost: the kernel had no room to write them')] : []),
    ...(isIn(throttled) ? [mark('throttled', 'the kernel had paused the event')] : []),
    element('span', 'legend-entry', 'empty: nothing happened'),
  ];
}
