import { FailedError } from '../../base/errors.ts';
import { formatCount } from '../../base/numbers.ts';
import { say } from './failure.ts';

/** One warning for a file that ends early; with `--strict` it fails instead. */
export function warnIfCut(
  { truncatedAt }: { readonly truncatedAt: number | null },
  strict: boolean,
): void {
  if (truncatedAt === null) return;
  const message =
    `the recording was cut off at byte ${formatCount(truncatedAt)}: ` +
    'what lies before it is read';
  if (strict) throw new FailedError(message);
  say(`perf-ts: ${message}`);
}
