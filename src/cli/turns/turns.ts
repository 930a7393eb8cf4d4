import { NONE } from '../../base/brand.ts';
import { FailedError } from '../../base/errors.ts';
import { formatCount, formatNanos, formatTenth } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { AskedOf } from '../../options/option.ts';
import type { TURNS } from '../../options/turns.ts';
import { fileAndName } from '../../profile/func-label.ts';
import type { TurnTable } from '../../profile/turn-table.ts';
import type { LoopSummary, SlowTurn, TurnReport } from '../../questions/turns.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { findingsOf } from '../../read/outputs/findings-of.ts';
import { formatTable } from '../render/table.ts';
import { recordingLines } from '../report/recording-lines.ts';
import { wantsColour } from '../shared/colour.ts';
import { loadForCommand } from '../shared/load.ts';
import { askedSelection } from '../shared/selection-flags.ts';
import { printJson, terminalStream, writeText } from '../shared/stdout.ts';

export type TurnsFlags = AskedOf<typeof TURNS>;

const USUAL_TURNS = 10;
/** Functions that the line of a turn names. */
const MOST_PARTS = 3;
/** The part of a turn that a line names, at least. */
const LEAST_PART = 0.05;

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
    ...loopLines(opened, turns, report.loops),
    '',
    ...slowLines(opened, turns, report.slowest),
  ];
  writeText(`${lines.join('\n')}\n`);
}

function noTurns(path: string): FailedError {
  return new FailedError(
    `${printable(path)} has no turns of an event loop: nothing of perf-ts was in a Node program that it recorded`,
    [
      'record it so: perf-ts record -- node app.js',
      'a running one: perf-ts record -p PID --attach-js',
    ],
  );
}

function loopLines(
  opened: OpenedProfile,
  turns: TurnTable,
  loops: readonly LoopSummary[],
): string[] {
  const rows = loops.map(({ loop, turns: count, busyNs, waitedNs, ...lengths }) => [
    formatCount(count),
    formatTenth(busyNs / Math.max(1, busyNs + waitedNs)),
    ...[lengths.p50Ns, lengths.p90Ns, lengths.p99Ns, lengths.longestNs].map(formatNanos),
    loopName(opened, turns, loop),
  ]);
  const head = ['turns', 'busy', 'p50', 'p90', 'p99', 'longest', 'event loop'];
  return formatTable(head, rows, { right: [0, 1, 2, 3, 4, 5], ...shape() });
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
  return formatTable(head, rows, { right: [0, 1], ...shape() });
}

/** `on no CPU 104 ms · report app.js:9 2.8 ms`: what took a twentieth of the turn and more, and its first function in any case. */
function whereOf({ profile }: OpenedProfile, turns: TurnTable, slow: SlowTurn): string {
  const { turn, parts, onCpuNs, offCpuNs, collectingNs } = slow;
  const length = turns.toNs[turn] - turns.fromNs[turn];
  const all = parts.reduce((sum, { weight }) => sum + weight, 0);
  const isTime = onCpuNs !== null;
  const named = parts.slice(0, MOST_PARTS).map(({ func, state, weight }, i) => {
    const [file, name] = fileAndName(profile, func);
    const amount = state !== 'running' || isTime ? formatNanos(weight) : formatTenth(weight / all);
    const label = printable(file === '' ? name : `${name} ${file}`);
    const text = `${state === 'running' ? '' : `${state} in `}${label} ${amount}`;
    return { text, ns: weight, isShown: i === 0 || !isTime };
  });
  const timed = [
    ...named,
    { text: `GC ${formatNanos(collectingNs ?? 0)}`, ns: collectingNs ?? 0, isShown: false },
    ...(isTime && offCpuNs === null ? [offCpuPart(length - onCpuNs)] : []),
  ];
  return [
    ...(turns.isFirst[turn] === 1 ? ['(start)'] : []),
    ...(turns.isOpen[turn] === 1 ? ['(until the end)'] : []),
    ...timed
      .filter(({ ns, isShown }) => isShown || ns >= length * LEAST_PART)
      .sort((a, b) => b.ns - a.ns)
      .map(({ text }) => text),
  ].join(' · ');
}

/** The time that no sample shows: of few samples it is known to some of their periods only. */
function offCpuPart(ns: number) {
  return { text: `on no CPU ${formatNanos(Math.max(0, ns))}`, ns, isShown: false };
}

function shape() {
  const columns = terminalStream()?.columns;
  return { colour: wantsColour(), ...(columns !== undefined && { columns }) };
}

/** The document of `--json`: times in nanoseconds, of turns since the recording's start. */
export function turnsDocument(
  opened: OpenedProfile,
  turns: TurnTable,
  { loops, slowest }: TurnReport,
) {
  const { profile } = opened;
  const threadOf = (loop: number) => {
    const { thread, pid, tid } = turns.loops[loop];
    return { pid, tid, comm: thread === NONE ? null : profile.threads[thread].comm };
  };
  return {
    schema: 'perf-ts/turns@1' as const,
    /** Nanosecond 0 of the times below, on the recording's clock, as a decimal string. */
    startTime: profile.meta.startTime,
    clock: profile.meta.clock,
    /** The library in the program measured them. */
    source: 'library' as const,
    loops: loops.map(({ loop, ...summary }) => ({ ...threadOf(loop), ...summary })),
    turns: slowest.map(({ turn, callback, parts, ...times }) => ({
      ...threadOf(turns.loop[turn]),
      fromNs: turns.fromNs[turn],
      lengthNs: turns.toNs[turn] - turns.fromNs[turn],
      /** The part in callbacks of events; immediates, closing handles and timers have the rest. */
      eventsNs: turns.eventsToNs[turn] - turns.fromNs[turn],
      waitedBeforeNs: turns.waitedNs[turn],
      isFirst: turns.isFirst[turn] === 1,
      isOpen: turns.isOpen[turn] === 1,
      callback: callback === NONE ? null : opened.nameOf(callback as never),
      ...times,
      parts: parts.map(({ func, ...part }) => ({ function: opened.nameOf(func), ...part })),
    })),
    findings: findingsOf(opened),
  };
}
