import { areLossesKnown, findingText, judgeEvent } from '../../../src/findings/finding.ts';
import type { OpenResult } from '../worker/messages/messages.ts';
import { formatWeight, sentence } from './format.ts';
import type { LateReport } from './late-report.ts';

/** How far the sampling of one event can be trusted, for a badge. */
export type Trust = {
  /** Not judged yet, nothing against it, off by what a reason says, off by more than what is shown says. */
  readonly level: 'checking' | 'good' | 'fair' | 'poor';
  /** A few words: the worst reason, or that there is none. */
  readonly label: string;
  /** Sentences, the worst first; of good sampling what speaks for it. */
  readonly reasons: readonly string[];
};

/** The mark of each level: colour alone shows nothing to who can't see it. */
export const TRUST_MARKS = { checking: '…', good: '✓', fair: '!', poor: '✗' } as const;

/** The trust in the event of row `event` by the findings about the recording, which come with the late report. */
export function assessTrust(recording: OpenResult, late: LateReport, event: number): Trust {
  const report = late.get();
  if (report === null) {
    const problem = late.problem();
    return problem === null
      ? { level: 'checking', label: 'checking', reasons: [] }
      : { level: 'poor', label: 'not checked', reasons: [sentence(problem)] };
  }
  const { level, label, findings } = judgeEvent(report.findings, event);
  const reasons = findings.map((finding) => sentence(findingText(finding)));
  if (level !== 'good') return { level, label, reasons };
  const isLost = findings.some(({ code }) => code === 'samples-lost');
  const areNoneLost = !isLost && areLossesKnown(findings);
  const all = formatWeight(recording.events[event].samples, 'samples');
  const praise = `${all}${areNoneLost ? ', none lost' : ''}.`;
  return { level, label, reasons: [praise, ...reasons] };
}
