/** The flags, width and precision of a conversion of printf; −1 for none. */
export type Layout = {
  readonly flags: string;
  readonly width: number;
  readonly precision: number;
};

/** An integer as `%d`, `%u`, `%x`, `%X` or `%o` prints it. `value` is of the conversion's sign. */
export function formatInteger(value: number | bigint, letter: string, layout: Layout): string {
  const { flags, width, precision } = layout;
  const isNegative = value < 0;
  const isZero = !isNegative && !(value > 0);
  const magnitude = isNegative ? -value : value;
  let digits = magnitude.toString(letter === 'o' ? 8 : letter === 'x' || letter === 'X' ? 16 : 10);
  if (letter === 'X') digits = digits.toUpperCase();
  if (flags === '' && width < 0 && precision < 0) return isNegative ? `-${digits}` : digits;
  if (precision >= 0) digits = precision === 0 && isZero ? '' : digits.padStart(precision, '0');
  const prefix =
    signOf(isNegative, letter, flags) +
    (isZero && letter !== 'o' ? '' : baseOf(letter, flags, digits));
  const isPadded = flags.includes('0') && !flags.includes('-') && precision < 0;
  if (isPadded) digits = digits.padStart(width - prefix.length, '0');
  return pad(prefix + digits, layout);
}

/** A text as `%s` prints it. */
export function formatText(text: string, layout: Layout): string {
  const { precision } = layout;
  return pad(precision >= 0 && precision < text.length ? text.slice(0, precision) : text, layout);
}

function pad(text: string, { flags, width }: Layout): string {
  if (text.length >= width) return text;
  return flags.includes('-') ? text.padEnd(width) : text.padStart(width);
}

function signOf(isNegative: boolean, letter: string, flags: string): string {
  if (isNegative) return '-';
  if (letter !== 'd') return '';
  return flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
}

function baseOf(letter: string, flags: string, digits: string): string {
  if (!flags.includes('#')) return '';
  if (letter === 'o') return digits.startsWith('0') ? '' : '0';
  return letter === 'x' ? '0x' : letter === 'X' ? '0X' : '';
}
