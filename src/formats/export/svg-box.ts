/** Pixels on both sides of a label. */
const MARGIN = 4;

/** A frame of a flame graph as a picture has it; lengths are pixels. */
export type PictureBox = {
  readonly x: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly fill: string;
  /** All that is known of it: what pointing at it shows. */
  readonly title: string;
  /** The texts that it has room for. */
  readonly label: { readonly name: string; readonly share: string };
  /** The colour between boxes. */
  readonly background: string;
};

/** The number of characters that a box has room for, of a font in which all are as wide. */
export function charactersIn(width: number, characterWidth: number): number {
  return Math.floor((width - 2 * MARGIN) / characterWidth);
}

/** The beginning of an SVG file that needs no style sheet; `</svg>` ends it. */
export function svgStart(width: number, height: number, background: string): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" font-family="ui-monospace, monospace" font-size="12">\n` +
    `<rect width="${width}" height="${height}" fill="${escapeXml(background)}"/>`
  );
}

/** A box with its tooltip. Text that a wider font lets out of it is clipped: an `svg` within another one clips. */
export function svgBox(box: PictureBox): string {
  const { x, top, width, height, fill, background, label } = box;
  const size = `width="${round(width)}" height="${round(height)}"`;
  const look = `fill="${escapeXml(fill)}" stroke="${escapeXml(background)}" stroke-width="0.5"`;
  const at = `x="${round(x)}" y="${round(top)}" ${size}`;
  const title = `<title>${escapeXml(box.title)}</title>`;
  if (label.name === '' && label.share === '') return `<rect ${at} ${look}>${title}</rect>`;
  const baseline = Math.round(height * 0.7);
  const name = svgText(MARGIN, baseline, label.name);
  const share = svgText(round(width - MARGIN), baseline, label.share, ' text-anchor="end"');
  return `<svg ${at}>${title}<rect ${size} ${look}/>${name}${share}</svg>`;
}

/** A line of text; nothing for none. */
export function svgText(x: number, y: number, content: string, attributes = ''): string {
  if (content === '') return '';
  return `<text x="${x}" y="${y}"${attributes} fill="#1b1a18">${escapeXml(content)}</text>`;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** Text that cannot be markup; characters that XML 1.0 cannot hold become U+FFFD. */
export function escapeXml(content: string): string {
  return content
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
