import { expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { MARK_KINDS } from '../../../src/profile/mark-table.ts';
import { decodeLoops } from '../../../src/read/jit/loop-streams.ts';
import { TurnStream } from '../../helpers/turn-stream.ts';

const START = { high: 0, low: 1000 };
const END_NS = 100_000;
const [GC, REQUEST, , MEASURE] = MARK_KINDS.keys();
const OPEN = -1;

function decode(...streams: TurnStream[]) {
  const parts = streams.map((stream, i) => ({ pid: 10 + i, bytes: stream.attachment(50n) }));
  const { marks } = decodeLoops(parts, START, [], END_NS, new Diagnostics());
  if (marks === null) throw new Error('no marks');
  const rows = Array.from({ length: marks.length }, (_, row) => ({
    kind: MARK_KINDS[marks.kind[row]],
    name: marks.names[marks.name[row]],
    text: marks.names[marks.text[row]],
    fromNs: marks.fromNs[row],
    toNs: marks.toNs[row],
    status: marks.status[row],
    isOpen: marks.isOpen[row] === 1,
    standsFor: marks.standsFor[row],
    pid: marks.loops[marks.loop[row]].pid,
  }));
  return { marks, rows };
}

const names = (stream: TurnStream) => decode(stream).rows.map(({ name }) => name);

test('a request has the time of its begin, the end that has its number, and a better name', () => {
  const stream = new TurnStream(10)
    .mark(REQUEST, 'GET /users/17', { fromNs: 3000, lengthNs: OPEN }, 7)
    .mark(REQUEST, 'GET /late', { fromNs: 4000, lengthNs: OPEN }, 8)
    .markEnd(7, 9000, 404, 'GET /users/:id')
    .markEnd(99, 9000, 200);
  const common = { kind: 'request', standsFor: 1, pid: 10 };
  expect(decode(stream).rows).toEqual([
    {
      ...common,
      name: 'GET /users/:id',
      text: 'GET /users/17',
      fromNs: 2050,
      toNs: 8050,
      status: 404,
      isOpen: false,
    },
    {
      ...common,
      name: 'GET /late',
      text: 'GET /late',
      fromNs: 3050,
      toNs: END_NS,
      status: 0,
      isOpen: true,
    },
  ]);
});

test('marks are in the order of their begins, and collections are called by V8’s type', () => {
  const stream = new TurnStream(10)
    .mark(GC, '', { fromNs: 5000, lengthNs: 10 }, 1)
    .mark(GC, '', { fromNs: 6000, lengthNs: 10 }, 4)
    .mark(MEASURE, 'parse', { fromNs: 2000, lengthNs: 9000 }, 0, 3);
  const { rows } = decode(stream);
  expect(rows.map(({ name, standsFor }) => [name, standsFor])).toEqual([
    ['parse', 8],
    ['scavenge', 1],
    ['mark-compact', 1],
  ]);
});

test('paths without a route are joined where they differ by numbers and ids', () => {
  const path = (text: string) => {
    const stream = new TurnStream(10);
    return names(stream.mark(REQUEST, text, { fromNs: 2000, lengthNs: 1 }))[0];
  };
  expect(path('GET /users/17/posts/0f8fad5b-d9cb-469f-a165-70867728950e')).toBe(
    'GET /users/*/posts/*',
  );
  expect(path('GET /blobs/9fe1a2b3c4d5')).toBe('GET /blobs/*');
  expect(path('GET /deadbeef/v2/faceless')).toBe('GET /deadbeef/v2/faceless');
  expect(path('OPTIONS *')).toBe('OPTIONS *');
});

test('a route that a process has told names later requests of it, the most exact one first', () => {
  let id = 0;
  const stream = new TurnStream(10);
  const ask = (text: string, told: string) => {
    stream.mark(REQUEST, text, { fromNs: 2000 + ++id, lengthNs: OPEN }, id);
    stream.markEnd(id, 3000 + id, 200, told);
  };
  ask('GET /users/ann', 'GET /users/:name');
  ask('GET /users/me', 'GET /users/me');
  ask('GET /files/a/b', 'GET /files/*');
  ask('GET /users/bob', '=');
  ask('GET /users/me', '=');
  ask('GET /files/x/y/z', '=');
  ask('POST /users/bob', '=');
  ask('GET /users/bob/17', '=');
  expect(names(stream).slice(3)).toEqual([
    'GET /users/:name',
    'GET /users/me',
    'GET /files/*',
    'POST /users/bob',
    'GET /users/bob/*',
  ]);
});

test('numbers of marks are those of one thread', () => {
  const open = { fromNs: 3000, lengthNs: OPEN };
  const first = new TurnStream(10).mark(REQUEST, 'GET /a', open, 1);
  const second = new TurnStream(11).mark(REQUEST, 'GET /b', open, 1).markEnd(1, 4000);
  const { rows } = decode(first, second);
  expect(rows.map(({ name, isOpen, pid }) => [name, isOpen, pid])).toEqual([
    ['GET /a', true, 10],
    ['GET /b', false, 11],
  ]);
});

test('a stream has turns beside marks', () => {
  const stream = new TurnStream(10)
    .turn({ fromNs: 3000, lengthNs: 500 })
    .mark(GC, '', { fromNs: 3000, lengthNs: 10 }, 1);
  const parts = [{ pid: 10, bytes: stream.attachment() }];
  expect(decodeLoops(parts, START, [], 0, new Diagnostics()).turns?.length).toBe(1);
  expect(decodeLoops(parts, START, [], END_NS, new Diagnostics()).marks?.length).toBe(1);
  const none = [{ pid: 10, bytes: new TurnStream(10).attachment() }];
  expect(decodeLoops(none, START, [], END_NS, new Diagnostics()).marks).toBeNull();
});

test('a name that reaches behind its record is cut there', () => {
  const stream = new TurnStream(10).mark(MEASURE, 'parse', { fromNs: 3000, lengthNs: 1 });
  const bytes = Uint8Array.from(stream.attachment());
  // The size of the name: behind the frame, the stream's header, and 30 bytes of the record.
  new DataView(bytes.buffer).setUint16(16 + 32 + 30, 60_000, true);
  const { marks } = decodeLoops([{ pid: 10, bytes }], START, [], END_NS, new Diagnostics());
  expect(marks?.names).toEqual(['parse\0\0\0']);
});
