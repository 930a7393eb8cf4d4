import flamegraph, { type ChartNode } from 'd3-flame-graph';
import { select } from 'd3-selection';
import { fontScale } from '../time/canvas.ts';
import type { TreeResult } from '../worker/messages.ts';
import { frameColour, MATCH_COLOUR } from './frame-colours.ts';
import { type FrameNode, isInlined, toFrameNodes } from './frame-nodes.ts';
import { createTooltip, type TooltipLine } from './tooltip.ts';

/** Pixels, on a common screen. */
const ROW_HEIGHT = 20;
/** Pixels; narrower frames are not drawn: thousands of slivers cost a zoom more than they show. */
export const MIN_FRAME_WIDTH = 2;

/** Pixels; the chart hides the labels of narrower frames. */
const LEAST_LABEL = 35;

export type ChartOptions = {
  readonly result: TreeResult;
  /** What the root is called where nothing is zoomed. */
  readonly title: string;
  /** Number of functions: keys above it are inlined calls. */
  readonly funcs: number;
  /** True: the root on top and the frames hanging from it. */
  readonly isIcicle: boolean;
  /** Pixels. */
  readonly width: number;
  readonly isSearching: boolean;
  /** Colour of a row instead of that of its kind. */
  readonly colourOf?: (row: number) => string;
  readonly describe: (node: FrameNode) => readonly TooltipLine[];
  readonly onZoom: (node: FrameNode) => void;
  readonly onMenu: (node: FrameNode, at: { readonly x: number; readonly y: number }) => void;
  readonly onCursor?: (node: FrameNode) => void;
};

export type FlameChart = {
  readonly root: FrameNode;
  /** Puts the keyboard's cursor on a frame. */
  moveCursor(to: 'caller' | 'callee' | 'left' | 'right'): void;
  /** Null: the cursor was not set yet. */
  cursor(): FrameNode | null;
  /** Where the cursor's frame is, in pixels of the window. */
  cursorPlace(): { readonly x: number; readonly y: number };
  /** What describes the cursor's frame goes; the cursor stays. */
  hideTooltip(): void;
  destroy(): void;
};

/** Draws one tree into `container`, which must be empty. */
export function drawFlameChart(container: HTMLElement, options: ChartOptions): FlameChart {
  const { result, funcs } = options;
  const { rows, labels } = result;
  const root = toFrameNodes(result, options.title, funcs);

  const colourOf = ({ data }: ChartNode<FrameNode>): string => {
    const label = data.row < 0 ? -1 : rows.label[data.row];
    if (label >= 0 && labels.isMatch[label] === 1) return MATCH_COLOUR;
    if (options.colourOf !== undefined && data.row >= 0) return options.colourOf(data.row);
    return frameColour(
      {
        kind: label < 0 ? 'root' : labels.kind[label],
        dso: label < 0 ? '' : labels.dso[label],
        name: data.name,
        tier: data.row < 0 ? 0 : rows.tier[data.row],
        isInlined: label >= 0 && isInlined(labels.key[label], funcs),
      },
      options.isSearching,
    );
  };

  const tooltip = createTooltip(options.describe);
  const rowHeight = Math.round(ROW_HEIGHT * fontScale());
  container.style.setProperty('--row', `${rowHeight}px`);
  const chart = flamegraph<FrameNode>()
    .width(options.width)
    .cellHeight(rowHeight)
    .minFrameSize(MIN_FRAME_WIDTH)
    .transitionDuration(0)
    .inverted(options.isIcicle)
    // The worker has put siblings in order.
    .sort((a, b) => a.data.row - b.data.row)
    .tooltip(tooltip)
    .setColorMapper(colourOf)
    .setSearchHandler(() => {});
  const selection = select(container);
  selection.datum(root);
  chart(selection);
  // The chart gives every frame a box for a label, which is hidden where nothing fits in; thousands
  // of boxes take longer to paint than all else.
  for (const drawn of container.querySelectorAll<DrawnFrame>('.frame')) {
    const value = drawn.__data__?.data.value ?? 0;
    if (value * options.width < LEAST_LABEL * root.value) {
      drawn.querySelector('foreignObject')?.remove();
    }
  }

  const nodeAt = (event: Event): FrameNode | null => {
    const frame = event.target instanceof Element ? event.target.closest('.frame') : null;
    return (frame as DrawnFrame | null)?.__data__?.data ?? null;
  };
  // The chart would zoom by itself, in the tree that it has; the worker has a finer one.
  const onClick = (event: MouseEvent): void => {
    const node = nodeAt(event);
    if (node === null) return;
    event.stopPropagation();
    tooltip.hide();
    options.onZoom(node);
  };
  const onMenu = (event: MouseEvent): void => {
    const node = nodeAt(event);
    if (node === null || node.row < 0) return;
    event.preventDefault();
    tooltip.hide();
    options.onMenu(node, { x: event.clientX, y: event.clientY });
  };
  const onBlur = () => tooltip.hide();
  container.addEventListener('click', onClick, { capture: true });
  container.addEventListener('contextmenu', onMenu);
  container.addEventListener('blur', onBlur);

  let cursor: FrameNode | null = null;
  const frameOf = (node: FrameNode): DrawnFrame | undefined =>
    [...container.querySelectorAll<DrawnFrame>('.frame')].find(
      (frame) => frame.__data__?.data === node,
    );
  function setCursor(node: FrameNode | undefined | null): void {
    if (node === undefined || node === null) return;
    const frame = frameOf(node);
    // Too narrow to be drawn.
    if (frame === undefined) return;
    container.querySelector('.cursor')?.classList.remove('cursor');
    frame.classList.add('cursor');
    frame.scrollIntoView({ block: 'nearest' });
    cursor = node;
    // In the corner that the frame is not in: what lies around it is where one goes next.
    const { left, width } = frame.getBoundingClientRect();
    const isLeft = left + width / 2 < window.innerWidth / 2;
    const { top } = container.getBoundingClientRect();
    tooltip.showAt(node, { x: isLeft ? window.innerWidth : 0, y: Math.max(0, top) });
    options.onCursor?.(node);
  }

  return {
    root,
    cursor: () => cursor,
    cursorPlace() {
      const box = (cursor === null ? undefined : frameOf(cursor))?.getBoundingClientRect();
      return { x: (box?.left ?? 0) + 8, y: box?.bottom ?? 0 };
    },
    hideTooltip: () => tooltip.hide(),
    moveCursor(to) {
      if (cursor === null) return setCursor(root);
      const siblings = cursor.parent?.children ?? [];
      const at = siblings.indexOf(cursor);
      switch (to) {
        case 'caller':
          return setCursor(cursor.parent);
        case 'callee':
          return setCursor(
            cursor.children.reduce<FrameNode | undefined>(
              (widest, child) => (child.value > (widest?.value ?? -1) ? child : widest),
              undefined,
            ),
          );
        case 'left':
          return setCursor(siblings[at - 1]);
        case 'right':
          return setCursor(siblings[at + 1]);
      }
    },
    destroy() {
      container.removeEventListener('click', onClick, { capture: true });
      container.removeEventListener('contextmenu', onMenu);
      container.removeEventListener('blur', onBlur);
      chart.destroy();
      tooltip.destroy();
    },
  };
}

/** A frame's element; d3 leaves the node on it. */
type DrawnFrame = Element & { readonly __data__?: ChartNode<FrameNode> };
