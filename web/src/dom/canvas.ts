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

/** A function that draws at the next frame of the screen, once however often it is called until then. */
export function atNextFrame(draw: () => void): () => void {
  let frame = 0;
  return () => {
    if (frame !== 0) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      draw();
    });
  };
}

/** Asked for by each picture; to ask the browser takes a layout. */
let knownScale = 0;
window.addEventListener('resize', () => {
  knownScale = 0;
});

/** How much larger the page's text is than on a common screen. */
export function fontScale(): number {
  knownScale ||= Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 14 || 1;
  return knownScale;
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

/** Lines from corner to corner, over whatever is there. */
export function createHatch(
  context: CanvasRenderingContext2D,
  colour: string,
  width: number,
): CanvasPattern | null {
  return createTile(context, 6, (tile) => {
    tile.strokeStyle = colour;
    tile.globalAlpha = 0.55;
    tile.lineWidth = width;
    tile.beginPath();
    for (const shift of [-6, 0, 6]) {
      tile.moveTo(shift - 1, 7);
      tile.lineTo(shift + 7, -1);
    }
    tile.stroke();
  });
}

/** A square that is repeated. */
export function createTile(
  context: CanvasRenderingContext2D,
  size: number,
  draw: (tile: CanvasRenderingContext2D) => void,
): CanvasPattern | null {
  const canvas = document.createElement('canvas');
  canvas.width = size;
  canvas.height = size;
  const tile = canvas.getContext('2d');
  if (tile === null) return null;
  draw(tile);
  return context.createPattern(canvas, 'repeat');
}
