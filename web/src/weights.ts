import { mattersText } from '../../src/period/report/advice.ts';
import type { WeightDisagreement } from '../../src/period/report/disagreement.ts';
import type { WeightKind } from '../../src/profile/types.ts';
import { element, switcher } from './dom.ts';
import { formatShare } from './format.ts';
import { reportOfEvent } from './late-report.ts';
import type { ViewState } from './state.ts';
import type { ViewContext } from './view-context.ts';

const KINDS: readonly {
  readonly value: WeightKind;
  readonly label: string;
  readonly hint: string;
}[] = [
  { value: 'events', label: 'Events', hint: "What was counted since the stream's previous sample" },
  { value: 'period', label: 'Period', hint: 'The period that each sample has in perf' },
  { value: 'samples', label: 'Samples', hint: 'Each sample counts 1' },
  { value: 'time', label: 'Time', hint: "The event's running time since the previous sample" },
];

/** From here on it matters which weight is read. */
const MATTERS = 0.01;

/** The switch between the weights, and beside it how far they are apart for this profile. */
export function createWeightSwitch({ store, recording, report }: ViewContext): HTMLElement {
  const { weightKinds, missingWeights } = recording.head;
  const choices = KINDS.filter(({ value }) => weightKinds.includes(value));
  const box = element('div', 'weights');
  const show = ({ event, weight }: ViewState) => {
    const buttons = switcher('Weight', choices, weight, (value) => store.change({ weight: value }));
    const missing = KINDS.filter(({ value }) => missingWeights[value] !== undefined).map(
      ({ value, label }) => {
        const button = element('button', '', label);
        button.type = 'button';
        button.disabled = true;
        button.title = missingWeights[value] ?? '';
        return button;
      },
    );
    buttons.append(...missing);
    const hadFocus = box.contains(document.activeElement);
    const described = reportOfEvent(report, event);
    box.replaceChildren(element('span', 'quiet-text', 'Weight'), buttons);
    if (described !== undefined && described.weights !== null) {
      box.append(renderDisagreement(described.weights, mattersText(described)));
    }
    if (hadFocus) buttons.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus();
  };
  store.subscribe((state, previous) => {
    if (state.event !== previous.event || state.weight !== previous.weight) show(state);
  });
  show(store.get());
  report.onArrival(() => show(store.get()));
  return box;
}

/** The weight after the shown one. */
export function nextWeight({ store, recording }: ViewContext): WeightKind {
  const kinds = KINDS.map(({ value }) => value).filter((kind) =>
    recording.head.weightKinds.includes(kind),
  );
  return kinds[(kinds.indexOf(store.get().weight) + 1) % kinds.length] ?? store.get().weight;
}

function renderDisagreement(weights: WeightDisagreement, matters: string | null): HTMLElement {
  const { samples, period, time } = weights.distance;
  const most = Math.max(samples ?? 0, period ?? 0);
  const summary =
    most < MATTERS
      ? 'weights agree'
      : `weights disagree on up to ${formatShare(most)} of the profile`;
  const details = element('details', most < MATTERS ? 'disagreement' : 'disagreement warning');
  details.append(element('summary', '', summary));
  const body = element('div', 'popover');
  if (matters !== null) body.append(element('p', '', `Does the weight matter? ${matters}.`));
  if (time !== null) {
    body.append(
      element(
        'p',
        'quiet-text',
        `By time, ${formatShare(time)} of the profile stands elsewhere than by events: ` +
          'no error, events and time are two questions.',
      ),
    );
  }
  if (weights.functions.length > 0) body.append(renderShares(weights));
  details.append(body);
  return details;
}

function renderShares({ functions }: WeightDisagreement): HTMLElement {
  const kinds = KINDS.filter(({ value }) => functions.some((shares) => shares[value] !== null));
  const head = element('tr', '', element('th', '', 'Self share of'));
  for (const { label } of kinds) head.append(element('th', 'number', label));
  const rows = functions.map((shares) => {
    const row = element('tr', '', element('td', 'name', shares.function));
    for (const { value } of kinds) {
      const share = shares[value];
      row.append(element('td', 'number', share === null ? '–' : formatShare(share)));
    }
    return row;
  });
  return element('table', '', element('thead', '', head), element('tbody', '', ...rows));
}
