import { formatNanos, formatTenth } from '../base/numbers.ts';
import { fileAndName } from '../profile/func-label.ts';
import type { TurnSource, TurnTable } from '../profile/turn-table.ts';
import type { Profile } from '../profile/types.ts';
import type { PartState, SlowTurn } from './turns.ts';

/** A part of a turn as every door prints it: how, the function with its place, and how much. */
export type TurnWords = {
  /** `waiting in`, `for` of a request; empty for what ran. */
  readonly how: string;
  /** `report app.js:18`, or `GET /users/:id`, as the recording has it; empty where there is neither. */
  readonly name: string;
  /** `101.7 ms`, or `on no CPU 101.7 ms`. */
  readonly amount: string;
};

/** Functions that the words of a turn name. */
const MOST_PARTS = 3;
/** The part of a turn that is named, at least. */
const LEAST_PART = 0.05;

const HOW: Readonly<Record<PartState, string>> = {
  running: '',
  waiting: 'waiting in',
  runnable: 'runnable in',
};

/** The mark of a turn in which its program started, or that had not ended; empty for others. */
export function turnKind({ isFirst, isOpen }: TurnTable, turn: number): string {
  if (isFirst[turn] === 1) return '(start)';
  return isOpen[turn] === 1 ? '(until the end)' : '';
}

const SOURCE_WORDS: Readonly<Record<TurnSource, string>> = {
  library: '',
  'system calls':
    'timed by their system calls, of which a loop of Node makes two where it waits once',
  waits:
    'timed by their waits off the CPU: turns of a loop that finds an event at once count as one',
};

/** Sentences about loops that nothing of perf-ts was in, one for each way in which their turns were timed. */
export function sourceNotes(turns: TurnTable): string[] {
  return Object.entries(SOURCE_WORDS).flatMap(([source, words]) => {
    const loops = turns.loops.filter((loop) => loop.source === source).length;
    return loops === 0 || words === '' ? [] : [`${loops} of ${turns.loops.length} loops: ${words}`];
  });
}

/**
 * The parts that took a twentieth of a turn and more, largest first, and its first function in any case; then the route of which
 * most of it was.
 */
export function turnWords(profile: Profile, turns: TurnTable, slow: SlowTurn): TurnWords[] {
  const { turn, parts, requests, onCpuNs, offCpuNs, collectingNs } = slow;
  const length = turns.toNs[turn] - turns.fromNs[turn];
  const all = parts.reduce((sum, { weight }) => sum + weight, 0);
  const isTime = onCpuNs !== null;
  const amountOf = (weight: number, isWait: boolean) =>
    isWait || isTime ? formatNanos(weight) : formatTenth(weight / all);
  const named = parts.slice(0, MOST_PARTS).map(({ func, state, weight }, i) => {
    const [file, name] = fileAndName(profile, func);
    const amount = amountOf(weight, state !== 'running');
    const words = { how: HOW[state], name: file === '' ? name : `${name} ${file}`, amount };
    return { words, ns: weight, isShown: i === 0 || !isTime };
  });
  const did = [
    ...named,
    ...plainPart('GC', collectingNs ?? 0),
    // This is known to some periods of its samples only.
    ...plainPart('on no CPU', isTime && offCpuNs === null ? length - onCpuNs : 0),
  ]
    .filter(({ ns, isShown }) => isShown || ns >= length * LEAST_PART)
    .sort((a, b) => b.ns - a.ns)
    .map(({ words }) => words);
  const routes = requests.slice(0, 1).map(({ route, weight }) => {
    return { how: 'for', name: route, amount: amountOf(weight, false) };
  });
  return [...did, ...routes];
}

function plainPart(what: string, ns: number) {
  const words = { how: '', name: '', amount: `${what} ${formatNanos(ns)}` };
  return ns > 0 ? [{ words, ns, isShown: false }] : [];
}
