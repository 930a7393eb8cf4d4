/** A place in the chart: pixels from its left edge, and from the top of its first row. */
export type ChartPlace = { readonly x: number; readonly y: number };

export type PointerActions = {
  readonly hover: (place: ChartPlace, event: PointerEvent) => void;
  readonly leave: () => void;
  readonly click: (place: ChartPlace) => void;
  readonly doubleClick: (place: ChartPlace) => void;
  readonly menu: (place: ChartPlace, event: MouseEvent) => void;
  /** Called with the edges of what is dragged over, while it is; null: nothing any more. */
  readonly dragOver: (edges: readonly [number, number] | null) => void;
  /** Called with what was dragged over when the pointer was let go. */
  readonly select: (from: number, to: number) => void;
  /** Pixels; of `moved` the x axis goes along. */
  readonly pan: (moved: number) => void;
  /** A wheel turned at `x`: more than 1 shows more time. */
  readonly zoom: (x: number, factor: number) => void;
};

/** Pixels; what is moved less is a click. */
const LEAST_DRAGGED = 4;
/** A step of a wheel is 100 or 120 pixels; lines and pages are turned into such. */
const WHEEL_PIXELS = [1, 33, 330] as const;
const ZOOM_PER_PIXEL = 1 / 500;

/** A drag that goes on. */
type Drag = {
  readonly x: number;
  /** Whether the chart is moved, with Shift; else a time is chosen. */
  readonly isPan: boolean;
  readonly last: number;
  readonly hasMoved: boolean;
};

/** Turns what a pointer does over `area`, whose content scrolls, into actions of the chart. */
export function listenToPointer(area: HTMLElement, actions: PointerActions): void {
  let drag: Drag | null = null;
  const placeOf = (event: MouseEvent): ChartPlace => {
    const { left, top } = area.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top + area.scrollTop };
  };
  area.addEventListener('pointerdown', (event) => {
    const { x } = placeOf(event);
    // On the scroll bar.
    if (event.button !== 0 || x >= area.clientWidth) return;
    drag = { x, isPan: event.shiftKey, last: x, hasMoved: false };
    area.setPointerCapture(event.pointerId);
  });
  area.addEventListener('pointermove', (event) => {
    const place = placeOf(event);
    if (drag === null) {
      actions.hover(place, event);
      return;
    }
    const hasMoved = drag.hasMoved || Math.abs(place.x - drag.x) >= LEAST_DRAGGED;
    if (hasMoved && drag.isPan) actions.pan(place.x - drag.last);
    else if (hasMoved) actions.dragOver([drag.x, place.x]);
    drag = { ...drag, last: place.x, hasMoved };
  });
  area.addEventListener('pointerup', (event) => {
    const done = drag;
    drag = null;
    if (done === null) return;
    actions.dragOver(null);
    const place = placeOf(event);
    if (!done.hasMoved) actions.click(place);
    else if (!done.isPan) actions.select(done.x, place.x);
  });
  area.addEventListener('pointercancel', () => {
    drag = null;
    actions.dragOver(null);
  });
  area.addEventListener('pointerleave', () => actions.leave());
  area.addEventListener('dblclick', (event) => actions.doubleClick(placeOf(event)));
  area.addEventListener('contextmenu', (event) => {
    event.preventDefault();
    actions.menu(placeOf(event), event);
  });
  listenToWheel(area, actions, (event) => placeOf(event).x);
}

/** A wheel zooms; sideways it moves the chart; with Shift it scrolls the rows, as it does elsewhere. */
function listenToWheel(
  area: HTMLElement,
  { pan, zoom }: PointerActions,
  xOf: (event: WheelEvent) => number,
): void {
  area.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const pixels = WHEEL_PIXELS[event.deltaMode] ?? 1;
      if (event.shiftKey) area.scrollTop += (event.deltaY + event.deltaX) * pixels;
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(-event.deltaX * pixels);
      else zoom(xOf(event), Math.exp(event.deltaY * pixels * ZOOM_PER_PIXEL));
    },
    { passive: false },
  );
}
