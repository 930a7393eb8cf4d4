/** A canvas of `width` × `height` CSS pixels, sharp on every screen, with its drawing context. */
export function fitCanvas(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  context?.clearRect(0, 0, width, height);
  return context;
}

/** How much larger the page's text is than on a common screen. */
export function fontScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 14 || 1;
}

/** The font of axes, as large as the page's small text. */
export function axisFont(): string {
  return `${Math.round(12 * fontScale())}px system-ui, sans-serif`;
}

/** How dark a cell with next to nothing is: a sample of no weight is none of no time. */
export const FAINTEST = 0.18;

/** How dark a cell is, 0…1: the root shows single samples beside hundreds. */
export function strength(value: number, most: number): number {
  if (!(value > 0) || !(most > 0)) return 0;
  return FAINTEST + (1 - FAINTEST) * Math.sqrt(Math.min(1, value / most));
}
