import { messageOf } from '../../../src/base/errors.ts';
import { element, pushButton } from '../dom/dom.ts';
import { type PopoverButton, popoverButton } from '../dom/popover.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { Lane, LaneItem } from '../worker/messages/lane-messages.ts';
import { describeItem } from './lane-words.ts';

const MOST_LISTED = 30;

/** A thing of a lane; `did`: words for its parts. */
type ListedItem = LaneItem & { readonly did?: readonly string[] };

/** A button that opens the list of a lane's longest things, each a button that calls `show`. */
export function createLaneList(
  context: ViewContext,
  title: string,
  laneOf: () => Lane | undefined,
  show: (item: LaneItem) => void,
): PopoverButton {
  const list = element('ol', 'lane-items');
  const menu = popoverButton('', `The longest ${title}`, list);
  const render = (item: ListedItem) => {
    const button = pushButton('lane-item', '', () => {
      menu.close();
      show(item);
    });
    const thread = context.recording.threads[item.thread]?.name ?? '';
    button.append(...[describeItem(item), thread].filter((text) => text !== '').join(' · '));
    const { did = [] } = item;
    if (did.length > 0) button.append(element('br'), did.join(' · '));
    return element('li', '', button);
  };
  const find = async (lane: Lane): Promise<readonly ListedItem[]> => {
    if (lane.kind === 'turns') {
      const { event, weight } = context.store.get();
      return context.ask('slowTurns', { event, weight, limit: MOST_LISTED });
    }
    const lengthOf = ({ fromNs, toNs }: LaneItem) => toNs - fromNs;
    return [...lane.longest].sort((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MOST_LISTED);
  };
  menu.body.addEventListener('toggle', (event) => {
    const lane = laneOf();
    if ((event as ToggleEvent).newState !== 'open' || lane === undefined) return;
    find(lane).then(
      (items) => list.replaceChildren(...items.map(render)),
      (error) => list.replaceChildren(element('li', 'problem', messageOf(error))),
    );
  });
  return menu;
}
