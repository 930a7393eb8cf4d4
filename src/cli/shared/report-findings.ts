import { FailedError } from '../../base/errors.ts';
import type { DescribedDiagnostic } from '../../findings/diagnostic-text.ts';
import { type Finding, findingText } from '../../findings/finding.ts';
import { diagnosticLine, isFileDamage } from '../../findings/judge-file.ts';
import { notify } from './failure.ts';

/** Prints what is wrong with a recording on standard error, a line each. */
export function reportFindings(
  findings: readonly Finding[],
  flags: {
    /** Damage of the file is an error. */
    readonly strict?: boolean;
    /** Nothing but errors. */
    readonly quiet?: boolean;
  },
): void {
  const damage = flags.strict === true ? findings.find(isFileDamage) : undefined;
  if (damage !== undefined) throw new FailedError(damage.sentence);
  if (flags.quiet === true) return;
  for (const finding of findings) notify(`perf-ts: ${findingText(finding)}`);
}

/** Everything that was counted while a recording was read, for those who look for a reason. */
export function reportDiagnostics(diagnostics: readonly DescribedDiagnostic[]): void {
  for (const diagnostic of diagnostics) notify(`perf-ts: ${diagnosticLine(diagnostic)}`);
}
