import { expect, test } from 'vitest';
import { debugLog } from '../../src/system/debug-log.ts';

function linesOf(wanted: string | undefined, message: string): string[] {
  const lines: string[] = [];
  debugLog('symbols', wanted, (line) => lines.push(line))?.(message);
  return lines;
}

test.each(['symbols', 'SYMBOLS', 'record,symbols', 'record, symbols', '*', 'sym*'])(
  'PERF_TS_DEBUG=%s turns on the debug log of the area symbols',
  (wanted) => {
    expect(linesOf(wanted, 'found')).toHaveLength(1);
  },
);

test.each([undefined, '', 'record', 'symbol', 'symbols2', 's.mbols'])(
  'PERF_TS_DEBUG=%s leaves the debug log of the area symbols off',
  (wanted) => {
    expect(linesOf(wanted, 'found')).toEqual([]);
  },
);

test('a debug line has area, process and milliseconds since the start', () => {
  const [line] = linesOf('symbols', '/usr/bin/app: build ID differs');
  const form = new RegExp(
    `^SYMBOLS ${process.pid} \\d+\\.\\d ms: /usr/bin/app: build ID differs\\n$`,
  );
  expect(line).toMatch(form);
});

test('a debug line shows control characters of foreign names as escapes', () => {
  const [line] = linesOf('symbols', 'app\u001b[2J\nnext');
  expect(line).toContain('app\\x1b[2J\\x0anext\n');
});

test('the text of a debug line is not built while its area is off', () => {
  let built = 0;
  const debug = debugLog('symbols', 'record');
  debug?.(`${++built}`);
  expect(built).toBe(0);
});
