import type { Range, ViewState } from '../state/state.ts';
import { clampRange } from '../time/range.ts';

/** Nothing shorter is drawn: clocks of the kernel tell no more apart. */
const LEAST_NS = 1000;

/** `window` with its length times `factor`, `atNs` where it is; inside of the recording. */
export function zoomAbout(window: Range, atNs: number, factor: number, endNs: number): Range {
  const span = window.toNs - window.fromNs;
  const wanted = Math.min(Math.max(span * factor, LEAST_NS), endNs + 1);
  const share = (atNs - window.fromNs) / span;
  return place(atNs - share * wanted, wanted, endNs);
}

/** `window` moved, as far as the recording goes. */
export function moveBy(window: Range, byNs: number, endNs: number): Range {
  return place(window.fromNs + byNs, window.toNs - window.fromNs, endNs);
}

/** `window` moved no farther than it takes to show `atNs`. */
export function moveToShow(window: Range, atNs: number, endNs: number): Range {
  if (atNs < window.fromNs) return moveBy(window, atNs - window.fromNs, endNs);
  return atNs > window.toNs ? moveBy(window, atNs - window.toNs, endNs) : window;
}

/** The state's range for a window: null for the whole recording. */
export function rulerOf({ fromNs, toNs }: Range, endNs: number): Range | null {
  const ruler = { fromNs: Math.round(fromNs), toNs: Math.round(toNs) };
  return ruler.fromNs <= 0 && ruler.toNs > endNs ? null : ruler;
}

/** The change of the state that makes the axis span a time, which all views then show. */
export function changeToSpan(
  { fromNs, toNs }: Range,
  endNs: number,
): Pick<ViewState, 'ruler' | 'range'> {
  const window = { fromNs, toNs: Math.max(toNs, fromNs + LEAST_NS) };
  return {
    ruler: rulerOf(moveBy(window, 0, endNs), endNs),
    range: clampRange(window.fromNs, window.toNs, endNs),
  };
}

function place(fromNs: number, spanNs: number, endNs: number): Range {
  const start = Math.max(0, Math.min(fromNs, endNs + 1 - spanNs));
  return { fromNs: start, toNs: start + spanNs };
}
