// Numbers as a person reads them, in the terminal and in the page. The locale never changes them.

/** `1 234 567`: a whole number, in groups of three digits. */
export function formatCount(value: number): string {
  const rounded = Math.round(value);
  // From 10²¹ on a number would be printed with an exponent.
  const digits = Number.isFinite(rounded) ? BigInt(rounded).toString() : `${rounded}`;
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ' ');
}

/** `12.34%` of a share 0…1. */
export function formatShare(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}

/** `97.2%` of a share 0…1; never 100.0% of less. */
export function formatTenth(share: number): string {
  const tenths = share < 1 ? Math.min(999, Math.round(share * 1000)) : 1000;
  return tenths === 1000 ? '100%' : `${(tenths / 10).toFixed(1)}%`;
}

/** The smallest of 1, 2, 5, 10, 20 … and of 0.5, 0.2, 0.1 … that is not below. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least) + 1e-9);
  const steps = [1, 2, 5, 10].map((factor) => factor * power);
  return steps.find((step) => step >= least * (1 - 1e-9)) ?? least;
}

type Ends = { readonly low: number; readonly high: number };

/**
 * A share with as many decimals as its interval leaves known: `12%` of ±0.5 points and more, `12.1%` of
 * ±0.05, else `12.14%`, also without an interval.
 */
export function formatKnownShare(share: number, interval: Ends | undefined): string {
  return `${(share * 100).toFixed(knownDecimals(interval))}%`;
}

function knownDecimals(interval: Ends | undefined): number {
  if (interval === undefined) return 2;
  const points = ((interval.high - interval.low) / 2) * 100;
  return points >= 0.5 ? 0 : points >= 0.05 ? 1 : 2;
}

/**
 * `12.1–14.5%`: where a share lies, in 95 of 100 recordings, with a decimal more than the share has;
 * empty where that is not known.
 */
export function formatShareInterval(interval: Ends | undefined): string {
  if (interval === undefined) return '';
  const decimals = Math.min(2, knownDecimals(interval) + 1);
  const [low, high] = [interval.low, interval.high].map((end) => (end * 100).toFixed(decimals));
  return `${low}–${high}%`;
}

/** `+1.23`: a difference of two shares, in percentage points. */
export function formatPoints(delta: number): string {
  const points = (delta * 100).toFixed(2);
  return delta > 0 ? `+${points}` : points;
}

/** `512 B`, `3.2 kB`, `14.7 MB`: decimal units. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** `333 ns`, `33.3 µs`, `3.1 ms`, `12.4 s`. */
export function formatNanos(nanos: number): string {
  if (nanos < 1e3) return `${Math.round(nanos)} ns`;
  if (nanos < 1e6) return `${(nanos / 1e3).toFixed(1)} µs`;
  if (nanos < 1e9) return `${(nanos / 1e6).toFixed(1)} ms`;
  return `${(nanos / 1e9).toFixed(2)} s`;
}

const MEASURES: ReadonlyMap<string, (value: number) => string> = new Map([
  ['nanoseconds', formatNanos],
  ['bytes', formatBytes],
]);

/** `37.5 ms`, `14.7 MB`, `1 234 567 events`: a weight with its unit. */
export function formatAmount(value: number, unit: string): string {
  const noun = Math.round(value) === 1 && unit.endsWith('s') ? unit.slice(0, -1) : unit;
  return MEASURES.get(unit)?.(value) ?? `${formatCount(value)} ${noun}`;
}

const SCALES = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

/** `879`, `1.2k`, `57k`, `1M`: at least `digits` digits, where there is no room for nine. */
export function formatShort(value: number, digits = 2): string {
  let scale = 0;
  let rest = value;
  while (rest >= 1000 && scale < SCALES.length - 1) {
    rest /= 1000;
    scale++;
  }
  const text = rest >= 10 ** digits ? rest.toFixed(0) : `${Number(rest.toPrecision(digits))}`;
  return `${text}${SCALES[scale]}`;
}

/** `37.5 ms`, `1.23M`: a weight where there is no room for nine digits. */
export function formatShortWeight(value: number, unit: string): string {
  if (value === 0) return '0';
  return MEASURES.get(unit)?.(value) ?? formatShort(value, 3);
}

/** `+37.5 ms`, `-1.23M`: a difference of two weights. */
export function formatWeightChange(delta: number, unit: string): string {
  const sign = delta > 0 ? '+' : delta < 0 ? '-' : '';
  return `${sign}${formatShortWeight(Math.abs(delta), unit)}`;
}

/** `+78%` from 1 to 1.78; `new` and `gone` from and to nothing. */
export function formatRelative(here: number, there: number): string {
  if (here === there) return '0%';
  if (there === 0) return 'new';
  if (here === 0) return 'gone';
  const percent = (here / there - 1) * 100;
  const digits = Math.abs(percent) < 9.95 ? 1 : 0;
  return `${percent > 0 ? '+' : ''}${percent.toFixed(digits)}%`;
}
