const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** A share of 0 to 1 as a bar of at most `columns` columns, to an eighth of one; without Unicode to a whole one. */
export function drawBar(share: number, columns: number, hasUnicode: boolean): string {
  const length = Math.max(0, Math.min(1, share)) * columns;
  if (!hasUnicode) return '#'.repeat(Math.round(length));
  const eighths = Math.round(length * 8);
  return '█'.repeat(eighths >> 3) + EIGHTHS[eighths & 7];
}
