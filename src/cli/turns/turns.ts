import { NONE } from '../../base/brand.ts';
import { FailedError } from '../../base/errors.ts';
import { formatCount, formatNanos, formatTenth } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { AskedOf } from '../../options/option.ts';
import type { TURNS } from '../../options/turns.ts';
import type { TurnTable } from '../../profile/turn-table.ts';
import { sourceNotes, turnKind, turnWords } from '../../questions/turn-words.ts';
import type { LoopSummary, SlowTurn, TurnReport } from '../../questions/turns.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { findingsOf } from '../../read/outputs/findings-of.ts';
import { formatTable } from '../render/table.ts';
import { recordingLines } from '../report/recording-lines.ts';
import { tableLook } from '../shared/colour.ts';
import { loadForCommand } from '../shared/load.ts';
import { askedSelection } from '../shared/selection-flags.ts';
import { printJson, writeText } from '../shared/stdout.ts';

export type TurnsFlags = AskedOf<typeof TURNS>;

const USUAL_TURNS = 10;
/** Loops that have a row: a test runner has hundreds. */
const MOST_LOOPS = 10;

/** `perf-ts turns`: how long the turns of event loops took, and what the slowest did. */
export async function runTurns(path: string, flags: TurnsFlags): Promise<void> {
  const opened = await loadForCommand(path, flags);
  const { turns } = opened.profile;
  const { times } = askedSelection(flags, () => opened.recordedTime());
  const { limit = flags.json ? 0 : USUAL_TURNS, over, event, weight } = flags;
  const report = opened.turns({
    ...(limit > 0 && { limit }),
    ...(over !== undefined && { over }),
    ...(event !== undefined && { event }),
    ...(weight !== undefined && { weight }),
    ...(times !== undefined && { times }),
  });
  if (turns === undefined || report === null) throw noTurns(path);
  if (flags.json) {
    printJson(turnsDocument(opened, turns, report));
    return;
  }
  const lines = [
    ...recordingLines(opened, null, false),
    '',
    ...(report.loops.length === 0 ? [] : loopLines(opened, turns, report.loops)),
    ...sourceNotes(turns).map((note) => `# ${note}`),
    ...(report.loops.length === 0 ? [] : ['']),
    ...slowLines(opened, turns, report.slowest),
  ];
  writeText(`${lines.join('\n')}\n`);
}

function noTurns(path: string): FailedError {
  return new FailedError(
    `${printable(path)} has no turns of an event loop: nothing of perf-ts was in a Node program that it recorded, and no waits of loops were`,
    [
      'record it so: perf-ts record -- node app.js',
      'a running one: perf-ts record -p PID --attach-js',
      'any program with an event loop, by its system calls: sudo perf-ts record --turns',
    ],
  );
}

function loopLines(
  opened: OpenedProfile,
  turns: TurnTable,
  loops: readonly LoopSummary[],
): string[] {
  const rows = loops
    .slice(0, MOST_LOOPS)
    .map(({ loop, turns: count, busyNs, waitedNs, ...lengths }) => [
      formatCount(count),
      formatTenth(busyNs / Math.max(1, busyNs + waitedNs)),
      ...[lengths.p50Ns, lengths.p90Ns, lengths.p99Ns, lengths.longestNs].map(formatNanos),
      loopName(opened, turns, loop),
    ]);
  const head = ['turns', 'busy', 'p50', 'p90', 'p99', 'longest', 'event loop'];
  const left = loops.length - rows.length;
  return [
    ...formatTable(head, rows, { right: [0, 1, 2, 3, 4, 5], ...tableLook() }),
    ...(left > 0
      ? [`… ${formatCount(left)} more loops, none with a longer turn (--json has all)`]
      : []),
  ];
}

function loopName({ profile }: OpenedProfile, { loops }: TurnTable, loop: number): string {
  const { thread, pid, tid } = loops[loop];
  const comm = thread === NONE ? '' : `${printable(profile.threads[thread].comm)} `;
  return tid === pid ? `${comm}${pid}` : `${comm}${pid}/${tid}`;
}

function slowLines(
  opened: OpenedProfile,
  turns: TurnTable,
  slowest: readonly SlowTurn[],
): string[] {
  if (slowest.length === 0) return ['# no turn took as long'];
  const isOfSeveral = turns.loops.length > 1;
  const rows = slowest.map((slow) => [
    `${(turns.fromNs[slow.turn] / 1e9).toFixed(3)} s`,
    formatNanos(turns.toNs[slow.turn] - turns.fromNs[slow.turn]),
    ...(isOfSeveral ? [loopName(opened, turns, turns.loop[slow.turn])] : []),
    whereOf(opened, turns, slow),
  ]);
  const head = ['at', 'took', ...(isOfSeveral ? ['event loop'] : []), 'in'];
  return formatTable(head, rows, { right: [0, 1], ...tableLook() });
}

/** `on no CPU 104 ms · report app.js:9 2.8 ms`. */
function whereOf({ profile }: OpenedProfile, turns: TurnTable, slow: SlowTurn): string {
  const parts = turnWords(profile, turns, slow).map(({ how, name, amount }) =>
    [how, printable(name), amount].filter((word) => word !== '').join(' '),
  );
  return [turnKind(turns, slow.turn), ...parts].filter((part) => part !== '').join(' · ');
}

/** The document of `--json`: times in nanoseconds, of turns since the recording's start. */
export function turnsDocument(
  opened: OpenedProfile,
  turns: TurnTable,
  { loops, slowest }: TurnReport,
) {
  const { profile } = opened;
  const threadOf = (loop: number) => {
    const { thread, pid, tid, source } = turns.loops[loop];
    return { pid, tid, comm: thread === NONE ? null : profile.threads[thread].comm, source };
  };
  return {
    schema: 'perf-ts/turns@1' as const,
    /** Nanosecond 0 of the times below, on the recording's clock, as a decimal string. */
    startTime: profile.meta.startTime,
    clock: profile.meta.clock,
    loops: loops.map(({ loop, ...summary }) => ({ ...threadOf(loop), ...summary })),
    turns: slowest.map(({ turn, callback, parts, requests, ...times }) => ({
      ...threadOf(turns.loop[turn]),
      fromNs: turns.fromNs[turn],
      lengthNs: turns.toNs[turn] - turns.fromNs[turn],
      /** The part in callbacks of events; immediates, closing handles and timers have the rest. */
      eventsNs: turns.eventsToNs[turn] - turns.fromNs[turn],
      waitedBeforeNs: turns.waitedNs[turn],
      isFirst: turns.isFirst[turn] === 1,
      isOpen: turns.isOpen[turn] === 1,
      callback: callback === NONE ? null : opened.nameOf(callback),
      ...times,
      requests,
      parts: parts.map(({ func, ...part }) => ({ function: opened.nameOf(func), ...part })),
    })),
    findings: findingsOf(opened),
  };
}
