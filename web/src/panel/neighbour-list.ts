import { splitPlace } from '../../../src/formats/export/frame-label.ts';
import { formatCount, formatShare } from '../ask/format.ts';
import { element, pushButton } from '../dom/dom.ts';
import type { Neighbour } from '../worker/messages/panel-messages.ts';
import { shortPlace } from './short-place.ts';

/**
 * The callers or the callees of a function, `count` of them, with their shares of its total, which add up to all of it:
 * the part of itself, or without a caller, is among them.
 */
export function renderNeighbours(
  title: string,
  neighbours: readonly Neighbour[],
  count: number,
  total: number,
  choose: (func: number) => void,
): HTMLElement[] {
  const list = element('ol', 'neighbours');
  for (const neighbour of neighbours) {
    const { func, name, place, weight } = neighbour;
    const share = element('span', 'neighbour-share', formatShare(total === 0 ? 0 : weight / total));
    if (func === null) {
      list.append(element('li', 'neighbour', share, element('span', 'quiet-text', name)));
      continue;
    }
    const button = pushButton('link cut-name', splitPlace(name, place).name, () => choose(func));
    button.dataset.key = `${title} ${func}`;
    button.title = [name, place].filter((part) => part !== '').join('\n');
    const where = element('span', 'where-place', shortPlace(place));
    list.append(element('li', 'neighbour', share, button, where));
  }
  const rest = count - neighbours.length;
  if (rest > 0) list.append(element('li', 'quiet-text', `and ${formatCount(rest)} more`));
  return [element('h3', '', title), list];
}
