import { expect, test } from 'vitest';
import { answerLines } from '../../../src/cli/query/answer-formats.ts';

const lines = (columns: string[], row: (string | number)[]) =>
  answerLines({ columns, rows: [row], isCut: false })[1]
    .trim()
    .split(/ +/);

test('the interval of a share is printed as the share is, that of a ratio as a number', () => {
  expect(lines(['func', 'self_share', 'self_low', 'self_high'], ['f', 0.5, 0.25, 0.75])).toEqual([
    'f',
    '50.00%',
    '25.00%',
    '75.00%',
  ]);
  const ratio = lines(
    ['func', 'metric', 'self', 'self_low', 'self_high'],
    ['f', 'ipc', 1.25, 0.5, 1.75],
  );
  expect(ratio).toEqual(['f', 'ipc', '1.25', '0.5', '1.75']);
});
