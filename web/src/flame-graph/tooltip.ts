import { element } from '../dom/dom.ts';
import type { TooltipLine } from './frame-lines.ts';
import type { FrameNode } from './frame-nodes.ts';

const GAP = 14;

export type FrameTooltip = {
  /** Shows the tooltip beside the pointer, and follows it. */
  show(event: MouseEvent, node: FrameNode): void;
  /** Shows the tooltip beside a place in the window, for those who go by keys. */
  showAt(node: FrameNode, at: { readonly x: number; readonly y: number }): void;
  hide(): void;
  destroy(): void;
};

/** A box beside the pointer: the frame's name, then lines of figures. Text only. */
export function createTooltip(describe: (node: FrameNode) => readonly TooltipLine[]): FrameTooltip {
  const box = element('div', 'tooltip');
  box.hidden = true;
  // Inside of a landmark, where one is: what lies outside of all is hard to come by.
  (document.querySelector('main') ?? document.body).append(box);

  const place = (x: number, y: number) => {
    const { offsetWidth, offsetHeight } = box;
    const left = x + GAP + offsetWidth < window.innerWidth ? x + GAP : x - GAP - offsetWidth;
    const top = y + GAP + offsetHeight < window.innerHeight ? y + GAP : y - GAP - offsetHeight;
    box.style.left = `${Math.max(4, left)}px`;
    box.style.top = `${Math.max(4, top)}px`;
  };
  let isOfPointer = false;
  const follow = (event: MouseEvent) => {
    if (!box.hidden && isOfPointer) place(event.clientX, event.clientY);
  };
  const fill = (node: FrameNode) => {
    const figures = element('dl');
    for (const { term, text } of describe(node)) {
      figures.append(element('dt', '', term), element('dd', '', text));
    }
    box.replaceChildren(element('div', 'tooltip-name', node.name), figures);
    box.hidden = false;
  };
  document.addEventListener('mousemove', follow);

  return {
    show(event: MouseEvent, node: FrameNode) {
      isOfPointer = true;
      fill(node);
      follow(event);
    },
    showAt(node: FrameNode, { x, y }: { readonly x: number; readonly y: number }) {
      isOfPointer = false;
      fill(node);
      place(x, y);
    },
    hide() {
      box.hidden = true;
    },
    destroy() {
      document.removeEventListener('mousemove', follow);
      box.remove();
    },
  };
}
