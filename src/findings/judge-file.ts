import type { RingFacts } from '../base/lost-samples.ts';
import { formatBytes, formatCount, formatTenth } from '../base/numbers.ts';
import { reportLostSideband } from '../profile/losses.ts';
import { type DescribedDiagnostic, isAboutJitNames, isDamage } from './diagnostic-text.ts';
import { createFinding, type Finding, type FindingCode } from './finding.ts';

/** Facts about a file whose records have been read. */
export type FileEvidence = {
  /** Offset at which the file ends early; null if it is whole. */
  readonly truncatedAt: number | null;
  /** Bytes of records that could not be read, of `dataBytes`. */
  readonly skippedBytes?: number;
  readonly dataBytes?: number;
  /** Records of forks, execs and mappings that were lost. */
  readonly lostSideband?: number;
  /** Absent where the recording does not tell. */
  readonly rings?: RingFacts | undefined;
  readonly diagnostics: readonly DescribedDiagnostic[];
  /**
   * Share of the samples in code of a file that the diagnostics name, or in those of its functions that have no name;
   * absent where no samples are at hand.
   */
  readonly shareOf?: (file: string, isUnnamed: boolean) => number;
};

/** Less of the records may be missing without another profile. */
const SKIPPED_WRONG = 0.01;
/** Files without names that have a finding each. */
const MAX_FILES = 3;
/** Every program has a little JavaScript from its start: a smaller share of the samples, in per cent, is none to report. */
const FROM_BEFORE_PERCENT = 2;
/** A file with fewer of the samples has no row that anybody looks at. */
export const NAMELESS_SHARE = 0.01;

/** The rings of a recording that does not tell: those of root. */
const USUAL_RINGS: RingFacts = { kib: 4096, mostKib: null };

/** The command that records with rings four times as large, or as large as its user may have them; null where they are. */
export function enlargeRings({ kib, mostKib }: RingFacts = USUAL_RINGS): string | null {
  const larger = Math.min(4 * kib, mostKib ?? Number.POSITIVE_INFINITY);
  if (larger <= kib) return null;
  return `perf-ts record -m ${larger < 1024 ? `${larger}K` : `${larger / 1024}M`} -- COMMAND`;
}

/** Faults of a file and of the names that it gives, in no order of severity. */
export function judgeFile(evidence: FileEvidence): Finding[] {
  const found = [
    judgeEnd(evidence),
    judgeSkipped(evidence),
    judgeSideband(evidence.lostSideband ?? 0, evidence.rings),
  ].filter((finding) => finding !== null);
  return [...found, ...judgeDiagnostics(evidence)];
}

/** Whether records or other parts of the file are missing: `--strict` refuses these. */
export function isFileDamage({ code }: Finding): boolean {
  return code === 'recording-cut' || code === 'bytes-skipped' || code === 'parts-damaged';
}

function judgeEnd({ truncatedAt }: FileEvidence): Finding | null {
  if (truncatedAt === null) return null;
  const sentence = `the recording was cut off at byte ${formatCount(truncatedAt)}: what lies before it is read`;
  return createFinding('recording-cut', 'wrong', 'recording cut short', sentence, {
    offset: truncatedAt,
  });
}

function judgeSkipped({
  skippedBytes = 0,
  dataBytes = 0,
  truncatedAt,
}: FileEvidence): Finding | null {
  // The rest of the record that a file was cut in is no part of its own.
  if (skippedBytes === 0 || truncatedAt !== null) return null;
  const share = Math.min(1, skippedBytes / Math.max(dataBytes, 1));
  return createFinding(
    'bytes-skipped',
    share < SKIPPED_WRONG ? 'doubt' : 'wrong',
    `${formatTenth(share)} unread`,
    `${formatTenth(share)} of the records (${formatBytes(skippedBytes)}) could not be read: what they held is in no figure`,
    { share },
  );
}

export function judgeSideband(lost: number, rings?: RingFacts): Finding | null {
  if (lost === 0) return null;
  return createFinding('sideband-lost', 'wrong', 'names uncertain', reportLostSideband(lost), {
    command: enlargeRings(rings),
  });
}

/** The diagnostics that change a result; the rest is for those who look for a reason (`-v`). */
function judgeDiagnostics({ diagnostics, truncatedAt, shareOf, rings }: FileEvidence): Finding[] {
  const isDamaged = truncatedAt !== null || diagnostics.some(({ code }) => isDamage(code));
  const files = { 'names-missing': 0, 'lines-missing': 0 };
  const found = diagnostics.flatMap((diagnostic): Finding[] => {
    const { code } = diagnostic;
    if (code === 'names-missing' || code === 'lines-missing') {
      const share = shareOf?.(diagnostic.subject ?? '', code === 'names-missing') ?? null;
      if (share !== null && share < NAMELESS_SHARE) return [];
      return ++files[code] > MAX_FILES ? [] : [noteOf(diagnostic, code, 'names missing', share)];
    }
    // A damaged file may have had the names: other options of record would not help.
    if (code === 'perf-map-missing' || code === 'jit-code-unnamed') {
      return isDamaged ? [] : judgeUnnamedCode(diagnostic, diagnostics, shareOf !== undefined);
    }
    return judgeDiagnostic(diagnostic, rings) ?? [];
  });
  const left = (code: keyof typeof files, what: string): Finding[] => {
    const more = files[code] - MAX_FILES;
    if (more <= 0) return [];
    const sentence = `${what} ${formatCount(more)} more files`;
    return [
      createFinding(code, 'note', 'names missing', sentence, { command: 'perf-ts report -v' }),
    ];
  };
  return [
    ...found,
    ...left('names-missing', 'no names for'),
    ...left('lines-missing', 'no inlined calls and lines of'),
  ];
}

function judgeDiagnostic(diagnostic: DescribedDiagnostic, rings?: RingFacts): Finding[] | null {
  const { code, reason, count, example, command } = diagnostic;
  if (isDamage(code)) {
    return [
      createFinding('parts-damaged', 'doubt', 'recording damaged', diagnosticLine(diagnostic)),
    ];
  }
  if (isAboutJitNames(code)) {
    const sentence = diagnosticLine(diagnostic);
    return [createFinding('javascript-doubtful', 'doubt', 'names doubtful', sentence, { command })];
  }
  switch (code) {
    case 'kallsyms-restricted':
    case 'kernel-modules-moved':
      return [noteOf(diagnostic, 'kernel-unnamed', 'kernel unnamed')];
    case 'kernel-unnamed':
      return [noteOf({ ...diagnostic, reason: `${reason}: ${example}` }, code, 'kernel unnamed')];
    case 'sample-of-no-event': {
      const sentence = `${formatCount(count)} ${reason}`;
      return [createFinding('samples-left-out', 'doubt', 'samples left out', sentence)];
    }
    case 'heap-left-to-program': {
      const sentence = `${reason}: ${example}${count > 1 ? ` and ${formatCount(count - 1)} more` : ''}`;
      return [createFinding('samples-left-out', 'doubt', 'heap not sampled', sentence)];
    }
    case 'sample-fields-newer': {
      const sentence = `samples left out: ${diagnosticLine(diagnostic)}`;
      return [createFinding('samples-left-out', 'doubt', 'samples left out', sentence)];
    }
    case 'event-ids-missing':
      return [createFinding('events-mixed', 'doubt', 'events mixed', reason)];
    case 'sample-without-time': {
      const sentence = `${formatCount(count)} ${reason}: ${example}`;
      return [createFinding('samples-untimed', 'note', 'samples without a time', sentence)];
    }
    case 'recording-unfinished': {
      const sentence = `${reason}; what came after its last records is in no figure`;
      return [createFinding('recorder-note', 'note', 'not ended', sentence)];
    }
    case 'wait-end-lost':
    case 'call-end-lost':
    case 'wake-up-unrecorded':
      return [judgeLostEnds(code, count, rings)];
    case 'names-doubtful': {
      const where = count > 1 ? `${formatCount(count)}, one of them ${example}` : example;
      const sentence = `${reason} (${where})`;
      return [createFinding(code, 'doubt', 'names doubtful', sentence, { command })];
    }
    case 'kernel-assumed':
    case 'kernel-place-unknown':
    case 'kernel-of-other-build':
      return [createFinding('names-doubtful', 'doubt', 'names doubtful', reason, { command })];
    case 'javascript-from-before': {
      const percent = Number.parseFloat(example);
      if (!(percent >= FROM_BEFORE_PERCENT)) return null;
      const share = percent / 100;
      const sentence = `${formatTenth(share)} of the samples are in JavaScript without a name: it ran before V8 was asked for names`;
      return [createFinding('javascript-unnamed', 'note', 'names missing', sentence, { share })];
    }
    default:
      return null;
  }
}

/** The finding about waits or calls whose ends, or whose wake-ups, were lost. */
function judgeLostEnds(
  code: 'wait-end-lost' | 'call-end-lost' | 'wake-up-unrecorded',
  count: number,
  rings?: RingFacts,
): Finding {
  const of = (one: string, many: string) => `${formatCount(count)} ${count === 1 ? one : many}`;
  const fields = { command: enlargeRings(rings) };
  if (code === 'wait-end-lost') {
    const sentence =
      `the ends of ${of('wait', 'waits')} off the CPU were lost: ` +
      'these waits count for nothing, and shares of time leave them out';
    return createFinding('waits-lost', 'doubt', 'waits lost', sentence, fields);
  }
  if (code === 'call-end-lost') {
    const sentence =
      `the ends of ${of('system call', 'system calls')} were lost: ` +
      'these count, and their time and bytes are left out';
    return createFinding('waits-lost', 'doubt', 'calls lost', sentence, fields);
  }
  const sentence =
    `the wake-ups of ${of('wait', 'waits')} were not recorded: the time ` +
    'that their threads were ready to run counts as waiting, sums of time off the CPU hold';
  return createFinding('wake-ups-lost', 'note', 'wake-ups lost', sentence, fields);
}

function noteOf(
  { reason, command }: DescribedDiagnostic,
  code: FindingCode,
  label: string,
  share: number | null = null,
): Finding {
  return createFinding(code, 'note', label, reason, { command, share });
}

/** Code of a JIT without names: by the programs that made it, or the map that is missing where no sample tells these. */
function judgeUnnamedCode(
  { code, reason, example, command }: DescribedDiagnostic,
  diagnostics: readonly DescribedDiagnostic[],
  hasSamples: boolean,
): Finding[] {
  if (code === 'perf-map-missing') {
    // Samples in such code are counted by program: where there are none, as in the watcher of `node --watch`, none needs a map.
    if (hasSamples || diagnostics.some((other) => other.code === 'jit-code-unnamed')) return [];
    return [createFinding('javascript-unnamed', 'note', 'names missing', reason, { command })];
  }
  const share = Number.parseFloat(example) / 100;
  if (share < NAMELESS_SHARE) return [];
  const sentence = `${formatTenth(share)} of the samples are in ${reason}`;
  return [
    createFinding('javascript-unnamed', 'note', 'names missing', sentence, { share, command }),
  ];
}

/** A diagnostic as a line: how often it was met, and where first. */
export function diagnosticLine({ reason, count, example }: DescribedDiagnostic): string {
  const times = count > 1 ? `${formatCount(count)} × ` : '';
  return `${times}${reason}${example === '' ? '' : ` (${example})`}`;
}
