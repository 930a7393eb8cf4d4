/** Scrolls `box`, and nothing around it, until `line` is in its middle, below a heading that sticks to the top. */
export function scrollWithin(box: HTMLElement, line: HTMLElement): void {
  const outer = box.getBoundingClientRect();
  const inner = line.getBoundingClientRect();
  const heading = box.querySelector('thead')?.getBoundingClientRect().height ?? 0;
  const above = inner.top - outer.top - box.clientTop - heading;
  const below = inner.bottom - outer.top - box.clientTop - box.clientHeight;
  box.scrollTop += (above + below) / 2;
}
