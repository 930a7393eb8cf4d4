import type { WeightKind } from '../../../src/profile/types.ts';
import { isWaitEvent } from '../../../src/profile/wait-event.ts';
import { element, switcher } from '../dom/dom.ts';
import type { ViewState } from './state.ts';
import type { ViewContext } from './view-context.ts';
import { WEIGHT_KINDS } from './weight-shares.ts';

/** The switch between the weights; those that this recording, or a wait, does not have say why. */
export function weightSwitch(context: ViewContext, { weight, event }: ViewState): HTMLElement {
  const { store, recording } = context;
  const { missingWeights } = recording.head;
  const kinds = kindsOf(context, event);
  const choices = WEIGHT_KINDS.filter(({ value }) => kinds.includes(value));
  const buttons = switcher('Weight', choices, weight, (value) => store.change({ weight: value }));
  for (const { value, label } of WEIGHT_KINDS) {
    const isOfOthers = recording.head.weightKinds.includes(value) && !kinds.includes(value);
    const reason = missingWeights[value] ?? (isOfOthers ? 'A wait has one length' : undefined);
    if (reason === undefined) continue;
    const button = element('button', '', label);
    button.type = 'button';
    button.disabled = true;
    button.title = reason;
    buttons.append(button);
  }
  return buttons;
}

/** The weights of an event's samples: waits have their length, which is what was counted, and their number. */
function kindsOf({ recording }: ViewContext, event: number): readonly WeightKind[] {
  const { weightKinds } = recording.head;
  const { name = '' } = recording.events[event] ?? {};
  if (!isWaitEvent({ name })) return weightKinds;
  return weightKinds.filter((kind) => kind === 'events' || kind === 'samples');
}

/** The weight after the shown one. */
export function nextWeight(context: ViewContext): WeightKind {
  const { weight, event } = context.store.get();
  const has = kindsOf(context, event);
  const kinds = WEIGHT_KINDS.map(({ value }) => value).filter((kind) => has.includes(kind));
  return kinds[(kinds.indexOf(weight) + 1) % kinds.length] ?? weight;
}
