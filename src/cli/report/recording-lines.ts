import { formatCount, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { isIdleKernel } from '../../code/native-frames/kernel-entry.ts';
import {
  areLossesKnown,
  type Finding,
  findingsOfEvent,
  findingText,
  type Subject,
  subjectOf,
} from '../../findings/finding.ts';
import { REQUEST } from '../../questions/request-owners.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { programLine } from '../../read/outputs/recording-head.ts';
import { isStream } from '../../system/files/stream-place.ts';
import { recordingWord } from '../shared/recording-word.ts';

// The first lines of a report: what was recorded, and how far it can be trusted. Its last line: what to look at next.

/**
 * `# node app.js: 3.72 s · cpu-clock: 6 109 samples, 1.53 s of CPU time, none lost`: what ran and how long, and where there
 * is but one event, its text. Then with `isVerbose` what was substituted or left out, which `record` has
 * printed and `info` prints; notes on texts of other tools were never printed.
 */
export function recordingLines(
  opened: OpenedProfile,
  onlyEvent: string | null,
  isVerbose: boolean,
): string[] {
  const { profile, facts } = opened;
  const what = programLine(profile, isVerbose);
  const head = [...(what === '' ? [] : [what]), ...(onlyEvent === null ? [] : [onlyEvent])];
  return [
    ...(head.length === 0 ? [] : [`# ${head.join(' · ')}`]),
    ...(isVerbose || facts.imported !== null ? profile.meta.notes : []).map(
      (note) => `# note: ${printable(note)}`,
    ),
  ];
}

/** Subjects of which standard error has said what changes no figure, or that have lines of their own. */
const PRINTED_ELSEWHERE: readonly Subject[] = ['file', 'names', 'recorder'];

/** Findings by which figures are wrong stand above the table, others below it. */
export type LinePlace = 'above' | 'below';

/** The findings about an event, or with null those about the whole recording, a line each. */
export function findingLines(
  findings: readonly Finding[],
  event: number | null,
  where: LinePlace,
): string[] {
  return findings
    .filter(({ code, severity, place }) => {
      // The lines about the event and about the recording have these two.
      if (code === 'samples-none' || code === 'sampling-off' || place.event !== event) return false;
      // Most recordings have some, and -v lists them.
      if (code === 'stacks-cut' && severity === 'note') return false;
      if ((severity === 'wrong') !== (where === 'above')) return false;
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
  const condition = areLossesKnown(findings) ? '' : ', if no sample was lost';
  return [`# 95% interval: a share lies in it in 95 of 100 recordings${condition}`];
}

/** Advice on what to look at next, in one line; nothing of a stream, which cannot be read again. */
export function nextLine(
  { hasStacks, profile, facts }: OpenedProfile,
  path: string,
  isTree: boolean,
): string[] {
  if (profile.samples.length === 0 || isStream(path)) return [];
  const file = recordingWord(path);
  const view = `perf-ts view${file} draws it as a flame graph`;
  const isMade = facts.imported !== null;
  const answers = profile.marks?.kind.includes(REQUEST) === true;
  const routes = answers ? [`perf-ts report --by request${file} has the routes of its server`] : [];
  const ways =
    isTree || (isMade && !hasStacks)
      ? [view]
      : !hasStacks
        ? [
            'perf-ts record --call-graph auto records callers, too',
            `perf-ts annotate${file === '' ? '' : ` -i${file}`} shows the code`,
            ['perf-ts view', file].join(''),
          ]
        : [['perf-ts report --tree', file, ' shows who called whom'].join(''), view];
  return [`# next: ${[...routes, ...ways].join(' · ')}`];
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
