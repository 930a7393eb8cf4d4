import type { WeightKind } from '../../src/profile/types.ts';
import { element, switcher } from './dom.ts';
import type { ViewState } from './state.ts';
import type { ViewContext } from './view-context.ts';
import { WEIGHT_KINDS } from './weight-shares.ts';

/** The switch between the weights; those that this recording does not have say why. */
export function weightSwitch(
  { store, recording }: ViewContext,
  { weight }: ViewState,
): HTMLElement {
  const { weightKinds, missingWeights } = recording.head;
  const choices = WEIGHT_KINDS.filter(({ value }) => weightKinds.includes(value));
  const buttons = switcher('Weight', choices, weight, (value) => store.change({ weight: value }));
  for (const { value, label } of WEIGHT_KINDS) {
    if (missingWeights[value] === undefined) continue;
    const button = element('button', '', label);
    button.type = 'button';
    button.disabled = true;
    button.title = missingWeights[value] ?? '';
    buttons.append(button);
  }
  return buttons;
}

/** The weight after the shown one. */
export function nextWeight({ store, recording }: ViewContext): WeightKind {
  const kinds = WEIGHT_KINDS.map(({ value }) => value).filter((kind) =>
    recording.head.weightKinds.includes(kind),
  );
  return kinds[(kinds.indexOf(store.get().weight) + 1) % kinds.length] ?? store.get().weight;
}
