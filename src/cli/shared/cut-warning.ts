import { FailedError } from '../../base/errors.ts';
import { formatCount } from '../../base/numbers.ts';
import { type DescribedDiagnostic, isDamage } from '../../findings/diagnostic-text.ts';
import { notify } from './failure.ts';

/**
 * One warning for a file that ends early among its records. With `strict` it fails instead, and so does
 * any other damage of the recording among `diagnostics`, which `sayDamage` reports otherwise.
 */
export function warnIfCut(
  { truncatedAt }: { readonly truncatedAt: number | null },
  strict: boolean,
  diagnostics: readonly DescribedDiagnostic[],
): void {
  const damage = strict ? diagnostics.find(({ code }) => isDamage(code)) : undefined;
  if (damage !== undefined && truncatedAt === null) throw new FailedError(damageText(damage));
  if (truncatedAt === null) return;
  const message =
    `the recording was cut off at byte ${formatCount(truncatedAt)}: ` +
    'what lies before it is read';
  if (strict) throw new FailedError(message);
  notify(`perf-ts: ${message}`);
}

/** Lines for the parts of the recording that can't be read. */
function reportDamagedParts(diagnostics: readonly DescribedDiagnostic[]): void {
  for (const damage of diagnostics) {
    if (isDamage(damage.code)) notify(`perf-ts: ${damageText(damage)}`);
  }
}

export function damageText({ reason, count, example }: DescribedDiagnostic): string {
  const times = count > 1 ? `${formatCount(count)} × ` : '';
  return `${times}${reason}${example === '' ? '' : ` (${example})`}`;
}

/** Both, for commands that report nothing else of a recording. */
export function reportDamage(
  recording: {
    readonly truncatedAt: number | null;
    readonly diagnostics: readonly DescribedDiagnostic[];
  },
  strict: boolean,
): void {
  warnIfCut(recording, strict, recording.diagnostics);
  reportDamagedParts(recording.diagnostics);
}
