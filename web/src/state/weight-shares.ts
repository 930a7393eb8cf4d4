import type { WeightDisagreement } from '../../../src/period/report/disagreement.ts';
import type { WeightKind } from '../../../src/profile/types.ts';
import { formatShare } from '../ask/format.ts';
import { element } from '../dom/dom.ts';

/** The weights in the order of their switch, in words. */
export const WEIGHT_KINDS: readonly {
  readonly value: WeightKind;
  readonly label: string;
  readonly hint: string;
}[] = [
  { value: 'events', label: 'Events', hint: "What was counted since the stream's previous sample" },
  { value: 'period', label: 'Period', hint: 'The period that each sample has in perf' },
  { value: 'samples', label: 'Samples', hint: 'Each sample counts 1' },
  { value: 'time', label: 'Time', hint: "The event's running time since the previous sample" },
  { value: 'wall', label: 'Wall', hint: 'Each moment divided among the threads that ran then' },
];

/** The functions on which the weights differ most, with their self share by each. */
export function renderWeightShares({ functions }: WeightDisagreement): HTMLElement {
  const kinds = WEIGHT_KINDS.flatMap(({ value, label }) =>
    value !== 'wall' && functions.some((shares) => shares[value] !== null)
      ? [{ value, label }]
      : [],
  );
  const headings = ['Self share of', ...kinds.map(({ label }) => label)].map((text, column) => {
    const heading = element('th', column === 0 ? '' : 'number', text);
    heading.scope = 'col';
    return heading;
  });
  const rows = functions.map((shares) => {
    const row = element('tr', '', element('td', 'remark-name', shares.function));
    for (const { value } of kinds) {
      const share = shares[value];
      row.append(element('td', 'number', share === null ? '–' : formatShare(share)));
    }
    return row;
  });
  const head = element('thead', '', element('tr', '', ...headings));
  return element('table', 'weight-shares', head, element('tbody', '', ...rows));
}
