import type { Slices } from '../../../../src/base/slices.ts';
import { turnKind, turnWords } from '../../../../src/questions/turn-words.ts';
import { slowestTurns } from '../../../../src/questions/turns.ts';
import type { SlowTurnsParams, SlowTurnsResult } from '../messages/lane-messages.ts';
import type { LoadedRecording } from '../recording/recording.ts';

/** The longest turns of all event loops, with what they did by function of the program's author. */
export function* describeSlowTurns(
  recording: LoadedRecording,
  { event, weight, limit }: SlowTurnsParams,
): Slices<SlowTurnsResult> {
  const { profile } = recording;
  const { turns } = profile;
  if (turns === undefined) return [];
  const rows = Int32Array.from({ length: profile.samples.length }, (_, row) => row).filter(
    (row) => profile.samples.event[row] === event,
  );
  yield;
  const weights = recording.weights(weight, event);
  const slowest = slowestTurns(turns, {
    profile,
    recorded: recording.profileAt('all'),
    rows,
    weights,
    overNs: 1e6,
    limit,
  });
  return slowest.map((slow) => {
    const parts = turnWords(profile, turns, slow).map(({ how, name, amount }) =>
      [how, name, amount].filter((word) => word !== '').join(' '),
    );
    return {
      fromNs: turns.fromNs[slow.turn],
      toNs: turns.toNs[slow.turn],
      thread: turns.loops[turns.loop[slow.turn]].thread,
      name: '',
      did: [turnKind(turns, slow.turn), ...parts].filter((part) => part !== ''),
    };
  });
}
