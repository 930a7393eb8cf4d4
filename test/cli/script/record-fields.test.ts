import { expect, test } from 'vitest';
import { recordFields } from '../../../src/cli/script/record-text.ts';

test('the fields of a record have ids as strings and addresses as hex', () => {
  expect(recordFields({ kind: 'throttle', id: 215, streamId: 216 })).toEqual({
    id: '215',
    streamId: '216',
  });
  const reading = { kind: 'read', pid: 1, tid: 2, values: [3], lost: [0] } as const;
  expect(recordFields({ ...reading, ids: [7], timeEnabled: 9, timeRunning: 9 })).toMatchObject({
    pid: 1,
    values: [3],
    ids: ['7'],
    timeEnabled: 9,
  });
});
