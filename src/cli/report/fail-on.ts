import { UsageError } from '../../base/errors.ts';
import { EXIT } from '../../base/exit-status.ts';
import { FINDING_CODES, type Finding, findingText, SEVERITIES } from '../../findings/finding.ts';
import { notify } from '../shared/failure.ts';

/** The test that `--fail-on` asks for: whether a finding is not tolerated. */
export type FailOn = (finding: Finding) => boolean;

/** Reads `--fail-on`: codes, or a severity for it and all that are worse. Throws `UsageError` for other words. */
export function parseFailOn(text: string): FailOn {
  const words = text.split(',').map((word) => word.trim());
  const codes = FINDING_CODES;
  const severities: readonly string[] = SEVERITIES;
  const unknown = words.find((word) => !codes.includes(word) && !severities.includes(word));
  if (unknown !== undefined) {
    throw new UsageError(`--fail-on ${text}: there is no finding ${JSON.stringify(unknown)}`, [
      `findings are ${codes.join(', ')}; or ${severities.join(', ')} for all that are as bad`,
    ]);
  }
  const worst = Math.max(...words.map((word) => severities.indexOf(word)));
  return ({ code, severity }) => words.includes(code) || severities.indexOf(severity) <= worst;
}

/** Sets the exit status and prints each finding that is not tolerated. */
export function failOnFindings(findings: readonly Finding[], failOn: FailOn): void {
  const met = findings.filter(failOn);
  for (const finding of met) notify(`perf-ts: --fail-on: ${finding.code}: ${findingText(finding)}`);
  if (met.length > 0) process.exitCode = EXIT.LOSS;
}
