import { FailedError } from '../../base/errors.ts';
import { formatCount } from '../../base/numbers.ts';
import { type DescribedDiagnostic, isDamage } from '../../read/facts/diagnostic-text.ts';
import { say } from './failure.ts';

/**
 * One warning for a file that ends early among its records. With `strict` it fails instead, and so does
 * any other damage of the recording among `diagnostics`, which is reported with them otherwise.
 */
export function warnIfCut(
  { truncatedAt }: { readonly truncatedAt: number | null },
  strict: boolean,
  diagnostics: readonly DescribedDiagnostic[] = [],
): void {
  const damage = strict ? diagnostics.find(({ code }) => isDamage(code)) : undefined;
  if (damage !== undefined && truncatedAt === null) {
    throw new FailedError(
      damage.example === '' ? damage.reason : `${damage.reason} (${damage.example})`,
    );
  }
  if (truncatedAt === null) return;
  const message =
    `the recording was cut off at byte ${formatCount(truncatedAt)}: ` +
    'what lies before it is read';
  if (strict) throw new FailedError(message);
  say(`perf-ts: ${message}`);
}
