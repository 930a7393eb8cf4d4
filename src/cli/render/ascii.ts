import { hasUnicode } from './terminal.ts';

/** The signs that perf-ts itself prints, by what stands for them. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  µ: 'u',
  '±': '+-',
  '–': '-',
  '−': '-',
  '…': '...',
  '×': 'x',
  λ: 'lambda',
  Δ: 'd',
  Σ: 'sum',
  '→': '->',
  '≥': '>=',
  '“': '"',
  '”': '"',
  '’': "'",
  '·': '*',
  '↑': '^',
  '↓': 'v',
  '│': '|',
  '├': '|',
  '└': '`',
  '─': '-',
};

const SIGNS = new RegExp(`[${Object.keys(REPLACEMENTS).join('')}]`, 'g');

/** `text` for a terminal that shows nothing but ASCII; what has no likeness becomes `?`. */
export function toAscii(text: string): string {
  return withoutSigns(text).replace(/\P{ASCII}/gu, '?');
}

/**
 * `text` as the locale can show it. Only our own signs are replaced: names are those of the recording, whose
 * locale may have been another.
 */
export function inLocale(text: string, isUnicode = hasUnicode()): string {
  return isUnicode ? text : withoutSigns(text);
}

function withoutSigns(text: string): string {
  return text.replace(SIGNS, (sign) => REPLACEMENTS[sign] ?? sign);
}
