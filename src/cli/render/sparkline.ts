const BARS = '▁▂▃▄▅▆▇█';

/** Values that span more than this factor are drawn by their logarithm. */
const LOG_FROM = 10;

export type Sparkline = {
  readonly text: string;
  /** Each bar is a factor, not a difference. */
  readonly isLogarithmic: boolean;
};

/**
 * One character per value: the lowest bar for the least, the highest for the greatest, a space for
 * null. Values are positive.
 */
export function drawSparkline(values: readonly (number | null)[]): Sparkline {
  const present = values.filter((value) => value !== null);
  const least = present.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const greatest = present.reduce((a, b) => Math.max(a, b), 0);
  const isLogarithmic = least > 0 && greatest / least > LOG_FROM;
  const scale = isLogarithmic ? Math.log : (value: number) => value;
  const span = scale(greatest) - scale(least);
  const bar = (value: number): string => {
    // All the same: the middle, neither high nor low.
    const height = span > 0 ? (scale(value) - scale(least)) / span : 0.5;
    return BARS[Math.min(BARS.length - 1, Math.floor(height * BARS.length))] as string;
  };
  return {
    text: values.map((value) => (value === null ? ' ' : bar(value))).join(''),
    isLogarithmic,
  };
}
