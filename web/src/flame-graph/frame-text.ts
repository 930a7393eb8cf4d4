import { labelOf } from '../../../src/formats/export/frame-label.ts';
import { charactersIn } from '../../../src/formats/export/svg-box.ts';
import { fontScale } from '../dom/canvas.ts';
import { boxOf, type DrawnFrame, LEAST_LABEL } from './frame-drawing.ts';
import type { FrameNode } from './frame-nodes.ts';

/** Pixels on both sides of a label. */
const MARGIN = 4;
const SVG = 'http://www.w3.org/2000/svg';

export type TextOptions = {
  /** Weight that is 100 %. */
  readonly weight: number;
  readonly rowHeight: number;
  /** Pixels that a character takes. */
  readonly characterWidth: number;
  /** The place of a function, if that is not part of its name. */
  readonly placeOf: (node: FrameNode) => string;
};

/** Puts the name into a frame and, where there is room, its share of all at the right. */
export function labelFrame(frame: DrawnFrame, options: TextOptions): void {
  const width = Number(frame.getAttribute('width'));
  if (width <= LEAST_LABEL) return;
  const node = frame.__data__.data;
  const { left, top } = cornerOf(frame);
  const { weight, rowHeight, characterWidth } = options;
  const characters = charactersIn(width, characterWidth);
  const { name, share } = labelOf(node, options.placeOf(node), weight, characters);
  const baseline = top + Math.round(rowHeight * 0.7);
  if (name !== '') frame.append(text('frame-name', name, left + MARGIN, baseline));
  if (share !== '') frame.append(text('frame-share', share, left + width - MARGIN, baseline));
}

function cornerOf(frame: DrawnFrame): { readonly left: number; readonly top: number } {
  const box = boxOf(frame);
  return { left: Number(box.getAttribute('x')), top: Number(box.getAttribute('y')) };
}

/** Moves the name of a frame of which so many pixels are out of view, so far as it has room. */
export function alignName(
  frame: DrawnFrame,
  hidden: number,
  { characterWidth }: Pick<TextOptions, 'characterWidth'>,
): void {
  const name = frame.querySelector('.frame-name');
  const texts = [...frame.querySelectorAll('text')].map(({ textContent }) => textContent ?? '');
  const taken = texts.reduce((sum, { length }) => sum + length * characterWidth + MARGIN, MARGIN);
  const room = Number(frame.getAttribute('width')) - taken;
  const moved = Math.max(0, Math.min(hidden, room));
  name?.setAttribute('x', String(cornerOf(frame).left + MARGIN + moved));
}

function text(className: string, content: string, x: number, y: number): SVGTextElement {
  const made = document.createElementNS(SVG, 'text');
  made.setAttribute('class', className);
  made.setAttribute('x', String(x));
  made.setAttribute('y', String(y));
  made.textContent = content;
  return made;
}

/** Width of a character at a size of the font and a zoom of the browser: to measure it takes a layout. */
const measured = new Map<string, number>();

/** Pixels that a character of the labels' font takes in `box`. */
export function measureCharacter(box: HTMLElement): number {
  const size = `${fontScale()} ${window.devicePixelRatio}`;
  const known = measured.get(size);
  if (known !== undefined) return known;
  const probe = document.createElement('span');
  probe.className = 'frame-name-probe';
  probe.textContent = 'm'.repeat(50);
  box.append(probe);
  const { width } = probe.getBoundingClientRect();
  probe.remove();
  // Without a layout there is none: the width of a common font.
  if (width === 0) return 7.25;
  measured.set(size, width / 50);
  return width / 50;
}
