/**
 * Scrolls `box`, and nothing around it, until `line` is in view: by as little as that takes, or so
 * that it stands in the middle. A heading that sticks to the top covers nothing of it.
 */
export function scrollWithin(
  box: HTMLElement,
  line: HTMLElement,
  place: 'nearest' | 'middle' = 'nearest',
): void {
  const outer = box.getBoundingClientRect();
  const inner = line.getBoundingClientRect();
  const heading = box.querySelector('thead')?.getBoundingClientRect().height ?? 0;
  const above = inner.top - outer.top - box.clientTop - heading;
  const below = inner.bottom - outer.top - box.clientTop - box.clientHeight;
  if (place === 'middle') box.scrollTop += (above + below) / 2;
  else if (above < 0) box.scrollTop += above;
  else if (below > 0) box.scrollTop += Math.min(below, above);
}
