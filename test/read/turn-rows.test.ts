import { expect, test } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.ts';
import { tableColumns } from '../../src/formats/tables/schema.ts';
import { decodeLoops } from '../../src/read/jit/loop-streams.ts';
import { recordingTables } from '../../src/read/outputs/recording-tables.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';
import { analysed } from '../helpers/query-tables.ts';
import { TurnStream } from '../helpers/turn-stream.ts';

test('the table of turns has whole nanoseconds', () => {
  const stream = new TurnStream(10, 12)
    .turn({ fromNs: 1000, lengthNs: 5_000_000 }, 0, 1)
    .turn({ fromNs: 9_000_000, lengthNs: 2_000_000, waitedNs: 70 }, 600, 2);
  const start = { high: 0, low: 0 };
  const parts = [{ pid: 10, bytes: stream.attachment() }];
  const { turns } = decodeLoops(parts, start, [], 0, new Diagnostics());
  const drawn = profileFromText('main');
  const tables = (profile: typeof drawn) => recordingTables(analysed(profile), { name: 'x' });
  const { columns, length } = tables({ ...drawn, ...(turns && { turns }) }).turns;
  const names = tableColumns('turns').slice(1);
  const rows = Array.from({ length }, (_, row) =>
    Object.fromEntries(names.map(({ name }, column) => [name, columns[column][row]])),
  );
  const loop = { pid: 10, tid: 12 };
  expect(rows).toEqual([
    { ...loop, from_ns: 1000, length_ns: 5e6, events_ns: 0, waited_ns: 0, is_first: 1, is_open: 0 },
    {
      ...loop,
      from_ns: 9e6,
      length_ns: 2e6,
      events_ns: 600,
      waited_ns: 70,
      is_first: 0,
      is_open: 1,
    },
  ]);
  expect(tables(drawn).turns.length).toBe(0);
});
