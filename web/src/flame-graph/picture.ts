import { labelOf } from '../../../src/formats/export/frame-label.ts';
import { charactersIn, svgBox, svgStart } from '../../../src/formats/export/svg-box.ts';
import type { MenuItem } from '../controls/frame-menu.ts';
import type { FlameGraph } from './flame-graph.ts';
import { boxOf } from './frame-drawing.ts';

/** Pixels of the picture for one of the page, in a bitmap: sharp when printed. */
const BITMAP_SCALE = 2;
/** Browsers refuse larger bitmaps. */
const LARGEST_BITMAP = 16_000;

/** The whole flame graph, rows out of view included, as an SVG file that needs no style sheet. */
function flamePicture(chart: FlameGraph): string {
  const { rows, topOf, text } = chart.picture;
  const { width, height } = chart;
  const background = getComputedStyle(document.body).backgroundColor || '#fff';
  const boxes = rows.flatMap((frames, row) =>
    frames.map((frame) => {
      const { data: node, x0, x1 } = frame.__data__;
      const wide = (x1 - x0) * width;
      return svgBox({
        ...{ x: x0 * width, top: topOf(row), width: wide, height: text.rowHeight },
        fill: boxOf(frame).getAttribute('fill') ?? '#ccc',
        title: node.name,
        label: labelOf(
          node,
          text.placeOf(node),
          text.weight,
          charactersIn(wide, text.characterWidth),
        ),
        background,
      });
    }),
  );
  return [svgStart(width, height, background), ...boxes, '</svg>'].join('\n');
}

/** Saves the flame graph as `NAME.svg`. */
function downloadSvg(chart: FlameGraph, name: string): void {
  save(new Blob([flamePicture(chart)], { type: 'image/svg+xml' }), `${name}.svg`);
}

/** Saves the flame graph as `NAME.png`. */
async function downloadPng(chart: FlameGraph, name: string): Promise<void> {
  const { width, height } = chart;
  const scale = Math.min(BITMAP_SCALE, LARGEST_BITMAP / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const image = new Image(canvas.width, canvas.height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(flamePicture(chart))}`;
  await image.decode();
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
  if (blob !== null) save(blob, `${name}.png`);
}

/** Items of a menu that save the graph which `current` gives. */
export function pictureActions(current: () => FlameGraph | null, title: string): MenuItem[] {
  const name = `${title.replace(/[^\w.-]+/g, '-') || 'profile'}-flame`;
  const withChart = (act: (chart: FlameGraph) => void) => () => {
    const chart = current();
    if (chart !== null) act(chart);
  };
  return [
    { label: 'Save the graph as SVG', run: withChart((chart) => downloadSvg(chart, name)) },
    { label: 'Save the graph as PNG', run: withChart((chart) => void downloadPng(chart, name)) },
  ];
}

function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
