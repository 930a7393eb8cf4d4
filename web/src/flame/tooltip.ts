import type { ChartNode, Tooltip } from 'd3-flame-graph';
import { element } from '../dom.ts';
import type { FrameNode } from './frame-nodes.ts';

const GAP = 14;

export type TooltipLine = { readonly term: string; readonly text: string };

/** A box beside the pointer: the frame's name, then lines of figures. Text only. */
export function createTooltip(
  describe: (node: FrameNode) => readonly TooltipLine[],
): Tooltip<FrameNode> {
  const box = element('div', 'tooltip');
  box.hidden = true;
  document.body.append(box);

  const follow = (event: MouseEvent) => {
    if (box.hidden) return;
    const right = event.clientX + GAP + box.offsetWidth;
    const bottom = event.clientY + GAP + box.offsetHeight;
    const left =
      right < window.innerWidth ? event.clientX + GAP : event.clientX - GAP - box.offsetWidth;
    const top =
      bottom < window.innerHeight ? event.clientY + GAP : event.clientY - GAP - box.offsetHeight;
    box.style.left = `${Math.max(4, left)}px`;
    box.style.top = `${Math.max(4, top)}px`;
  };
  document.addEventListener('mousemove', follow);

  return Object.assign(() => {}, {
    show(event: MouseEvent, node: ChartNode<FrameNode>) {
      const figures = element('dl');
      for (const { term, text } of describe(node.data)) {
        figures.append(element('dt', '', term), element('dd', '', text));
      }
      box.replaceChildren(element('div', 'tooltip-name', node.data.name), figures);
      box.hidden = false;
      follow(event);
    },
    hide() {
      box.hidden = true;
    },
    destroy() {
      document.removeEventListener('mousemove', follow);
      box.remove();
    },
  });
}
