import { formatCount, formatNanos, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { isIdleKernel } from '../../code/levels/kernel-entry.ts';
import {
  areLossesKnown,
  type Finding,
  findingsOfEvent,
  findingText,
  type Subject,
  subjectOf,
} from '../../findings/finding.ts';
import { recordedLength, sampledPartText } from '../../profile/sampled-time.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';

// The first lines of a report: what was recorded, and how far it can be trusted. Its last line: what to look at next.

/** The command and the length of the recording, then what was substituted or left out. */
export function recordingLines(opened: OpenedProfile, isVerbose: boolean): string[] {
  return [...commandLine(opened), ...noteLines(opened, isVerbose)];
}

function commandLine(opened: OpenedProfile): string[] {
  const { commandLine } = opened.profile.meta;
  const recorded = recordedLength(opened.profile);
  const length =
    sampledPartText(recorded) ?? (recorded === null ? null : formatNanos(recorded.recordedNs));
  const words = commandLine.map((word) => printable(word)).join(' ');
  if (words === '') return length === null ? [] : [`# recording of ${length}`];
  return [`# ${words}${length === null ? '' : `: ${length}`}`];
}

/**
 * `record` has printed its notes: here they are counted, unless `isVerbose`. Notes on texts of other tools
 * were never printed.
 */
function noteLines({ profile, facts }: OpenedProfile, isVerbose: boolean): string[] {
  const { notes } = profile.meta;
  if (isVerbose || facts.imported !== null) {
    return notes.map((note) => `# note: ${printable(note)}`);
  }
  if (notes.length === 0) return [];
  const count = notes.length === 1 ? 'a note' : `${notes.length} notes`;
  return [
    `# record made ${count} on this recording: -v and perf-ts info print ${notes.length === 1 ? 'it' : 'them'}`,
  ];
}

/** Subjects of which standard error has said what changes no figure, or that have lines of their own. */
const PRINTED_ELSEWHERE: readonly Subject[] = ['file', 'names', 'recorder'];

/** The findings about an event, or with null those about the whole recording, a line each. */
export function findingLines(findings: readonly Finding[], event: number | null): string[] {
  return findings
    .filter(({ code, severity, place }) => {
      // The lines about the event and about the recording have these two.
      if (code === 'samples-none' || code === 'sampling-off' || place.event !== event) return false;
      return severity === 'wrong' || !PRINTED_ELSEWHERE.includes(subjectOf(code));
    })
    .map((finding) => `# ${finding.severity === 'note' ? '' : 'trust: '}${findingText(finding)}`);
}

/**
 * A line on what the intervals of an event mean: nothing where a finding speaks against them. No
 * intervals are vouched for where all samples may be at the same places of a loop or of many tasks.
 */
export function vouchLine(findings: readonly Finding[], event: number): string[] {
  const isDoubtful = findingsOfEvent(findings, event).some(
    ({ code, severity }) => severity === 'wrong' || code === 'samples-lost',
  );
  if (isDoubtful) return [];
  const meaning = 'in 95 of 100 recordings a share lies in its interval';
  return [
    areLossesKnown(findings)
      ? `# trust: no sample was lost; ${meaning}`
      : `# trust: ${meaning}, if no sample was lost`,
  ];
}

/** Advice on what to look at next, in one line. */
export function nextLine(opened: OpenedProfile, isTree: boolean): string[] {
  if (opened.profile.samples.length === 0) return [];
  if (isTree) return ['# next: perf-ts view draws it as a flame graph'];
  if (!opened.hasStacks) {
    return [
      '# next: perf-ts record -g records callers, too; perf-ts annotate shows the code of the first rows',
    ];
  }
  return ['# next: --tree shows who called whom, perf-ts view draws it as a flame graph'];
}

/** Rows without those of CPUs that have nothing to do, and a line for these; all rows where `isShown`. */
export function hideIdle<R extends { readonly selfShare: number }>(
  rows: readonly R[],
  nameOf: (row: R) => { readonly name: string; readonly dso: string },
  isShown: boolean,
): { readonly rows: readonly R[]; readonly line: string[] } {
  if (isShown) return { rows, line: [] };
  const isIdle = (row: R): boolean => {
    const { name, dso } = nameOf(row);
    return isIdleKernel(name, dso);
  };
  const idle = rows.filter(isIdle);
  const share = idle.reduce((sum, { selfShare }) => sum + selfShare, 0);
  if (share === 0) return { rows, line: [] };
  const line = `# idle: CPUs had nothing to do in ${formatShare(share)}, which is in no row (${formatCount(idle.length)} functions; --idle shows them)`;
  return { rows: rows.filter((row) => !isIdle(row)), line: [line] };
}
