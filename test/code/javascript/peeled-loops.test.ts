import { expect, it } from 'vitest';
import { mendPeeledLoops } from '../../../src/code/javascript/peeled-loops.ts';
import type { ScriptEntries } from '../../../src/code/jit/position-log.ts';

type Piece = readonly [length: number, position: number, inlining?: number];

function entriesOf(pieces: readonly Piece[]): ScriptEntries {
  let at = 0;
  const offset: number[] = [];
  for (const [length] of pieces) {
    offset.push(at);
    at += length;
  }
  return {
    offset: Float64Array.from(offset),
    position: Int32Array.from(pieces, ([, position]) => position),
    inlining: Int32Array.from(pieces, ([, , inlining = -1]) => inlining),
  };
}

const START: Piece = [40, 13];
/** A turn of a loop at 30: its condition, a body of three places, its step. */
const TURN: readonly Piece[] = [
  [12, 48],
  [10, 64],
  [31, 71],
  [17, 76],
  [41, 81],
  [31, 103],
  [17, 108],
  [42, 113],
  [12, 54],
];
const END: Piece = [9, 671];
/** The same turn as Maglev leaves it. */
const stale = (turn: readonly Piece[]): Piece[] =>
  turn.map(([length, , inlining = -1]): Piece => [length, 30, inlining]);
const positionsOf = (pieces: readonly Piece[]) => pieces.map(([, position]) => position);

it('a loop behind its peeled turn has the positions of that turn', () => {
  const mended = mendPeeledLoops(
    entriesOf([START, ...TURN, [4, 30], ...stale(TURN), [4, 30], END]),
  );
  expect([...mended.position]).toEqual([
    13,
    ...positionsOf(TURN),
    30,
    ...positionsOf(TURN),
    30,
    671,
  ]);
});

it('checks that only the peeled turn makes are skipped', () => {
  const checked: Piece[] = TURN.flatMap((piece) =>
    piece[1] === 103 ? [[23, 90] as const, piece] : [piece],
  );
  const mended = mendPeeledLoops(
    entriesOf([START, ...checked, [4, 30], ...stale(TURN), [4, 30], END]),
  );
  expect([...mended.position].slice(checked.length + 2, -2)).toEqual(positionsOf(TURN));
});

it('a loop that is unlike what stands before it has no positions', () => {
  const other = TURN.map(([length]): Piece => [length + 19, 30]);
  const mended = mendPeeledLoops(entriesOf([START, ...TURN, [4, 30], ...other, END]));
  expect([...mended.position].slice(TURN.length + 2, -1)).toEqual(other.map(() => -1));
  expect([...mended.position].slice(0, TURN.length + 1)).toEqual([13, ...positionsOf(TURN)]);
});

it('a row of pieces that is alike has its positions, and the turn ends behind it, in a loop that is unlike otherwise', () => {
  const unlike = [112, 110, 131, 190, 190].map((length): Piece => [length, 30]);
  const row = stale(TURN.slice(3, -1));
  const loop = [...unlike, ...row, [23, 30] as const, [150, 30] as const];
  const mended = mendPeeledLoops(entriesOf([START, ...TURN, [4, 30], ...loop, END]));
  expect([...mended.position].slice(TURN.length + 1, -1)).toEqual([
    ...[-1, -1, -1, -1, -1, -1],
    ...positionsOf(TURN.slice(3)),
    -1,
  ]);
  const short = [...unlike, ...row.slice(-3), ...unlike];
  const none = mendPeeledLoops(entriesOf([START, ...TURN, [4, 30], ...short, END]));
  expect([...none.position].slice(TURN.length + 2, -1)).toEqual(short.map(() => -1));
});

it('functions that were inlined in a loop keep their positions', () => {
  const inlined: Piece[] = [
    [8, 5, 0],
    [8, 7, 0],
  ];
  const again = inlined.map(([length, position]): Piece => [length, position, 1]);
  const all = [
    START,
    ...TURN,
    ...inlined,
    [4, 30] as const,
    ...stale(TURN),
    ...again,
    [4, 30] as const,
    END,
  ];
  const mended = mendPeeledLoops(entriesOf(all));
  expect([...mended.position].slice(-4, -2)).toEqual([5, 7]);
});

it('pieces between functions that were inlined have the positions of those between the same functions', () => {
  const inlined = (call: number, length: number): Piece[] =>
    [5, 7, 9].map((position): Piece => [length + position, position, call]);
  const between: Piece = [20, 60];
  const turn = [...TURN, [20, 50] as const, ...inlined(0, 9), between, [20, 120] as const];
  const loop = [...TURN, ...inlined(1, 3), between];
  const stalePiece = ([length, position, call]: Piece): Piece =>
    call === undefined ? [length, 30] : [length, position, call];
  const mended = mendPeeledLoops(
    entriesOf([START, ...turn, [4, 30], ...loop.map(stalePiece), [4, 30], END]),
  );
  expect([...mended.position].slice(turn.length + 2, -2)).toEqual(positionsOf(loop));
});

it('code without a loop stays as it is', () => {
  const literal = Array.from({ length: 12 }, (_, i): Piece => [4 + i, 20]);
  const entries = entriesOf([...literal, [10, 25], [10, 40]]);
  expect([...mendPeeledLoops(entries).position]).toEqual([...entries.position]);
});
