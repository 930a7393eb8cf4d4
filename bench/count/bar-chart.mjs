/**
 * Horizontal bars as SVG text. `bars`: label and value, 0 … 100; what is drawn is what the labels say.
 */
export function barChart({ title, unit, bars }) {
  const labelWidth = 240;
  const barWidth = 400;
  const step = 24;
  const height = 50 + step * bars.length;
  const rows = bars.map(({ label, value }, i) => {
    const y = 44 + step * i;
    const width = (barWidth * Math.max(0, Math.min(100, value))) / 100;
    return [
      `<text x="${labelWidth - 8}" y="${y + 12}" text-anchor="end">${escapeXml(label)}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${width.toFixed(1)}" height="16" fill="#4878a8"/>`,
      `<text x="${(labelWidth + width + 6).toFixed(1)}" y="${y + 12}">${value.toFixed(1)} ${unit}</text>`,
    ].join('\n');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${labelWidth + barWidth + 80}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    '<rect width="100%" height="100%" fill="white"/>',
    `<text x="8" y="22" font-size="14">${escapeXml(title)}</text>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
