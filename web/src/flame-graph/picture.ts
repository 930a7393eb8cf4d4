import type { MenuItem } from '../controls/frame-menu.ts';
import type { FlameGraph } from './flame-graph.ts';
import { boxOf, type DrawnFrame } from './frame-drawing.ts';
import { labelOf } from './frame-text.ts';

/** Pixels of the picture for one of the page, in a bitmap: sharp when printed. */
const BITMAP_SCALE = 2;
/** Browsers refuse larger bitmaps. */
const LARGEST_BITMAP = 16_000;

/** The whole flame graph, rows out of view included, as an SVG file that needs no style sheet. */
function flamePicture(chart: FlameGraph): string {
  const { rows, topOf, text } = chart.picture;
  const { width, height } = chart;
  const page = getComputedStyle(document.body).backgroundColor || '#fff';
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}" font-family="ui-monospace, monospace" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="${escapeXml(page)}"/>`,
  ];
  const baseline = Math.round(text.rowHeight * 0.7);
  const place = (frame: DrawnFrame, row: number) => {
    const node = frame.__data__.data;
    const x = round(frame.__data__.x0 * width);
    const wide = round((frame.__data__.x1 - frame.__data__.x0) * width);
    const fill = boxOf(frame).getAttribute('fill') ?? '#ccc';
    const top = topOf(row);
    const characters = Math.floor((wide - 8) / text.characterWidth);
    const { name, share } = labelOf(node, text.placeOf(node), text.weight, characters);
    const at = (textX: number, anchor: string, content: string) =>
      content === ''
        ? ''
        : `<text x="${round(textX)}" y="${top + baseline}"${anchor} fill="#1b1a18">${escapeXml(content)}</text>`;
    lines.push(
      `<g><title>${escapeXml(node.name)}</title><rect x="${x}" y="${top}" width="${wide}" ` +
        `height="${text.rowHeight}" fill="${fill}" stroke="${escapeXml(page)}" stroke-width="0.5"/>` +
        `${at(x + 4, '', name)}${at(x + wide - 4, ' text-anchor="end"', share)}</g>`,
    );
  };
  rows.forEach((frames, row) => {
    for (const frame of frames) place(frame, row);
  });
  lines.push('</svg>');
  return lines.join('\n');
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

const round = (value: number): number => Math.round(value * 100) / 100;

/** Characters that XML 1.0 can't hold are left out. */
function escapeXml(content: string): string {
  return content
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
