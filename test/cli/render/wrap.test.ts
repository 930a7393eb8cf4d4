import { expect, test } from 'vitest';
import { wrapRemark } from '../../../src/cli/render/wrap.ts';

test('a remark is wrapped behind its pauses, so that commands and numbers stay whole', () => {
  const line =
    '# node app.js: 3.63 s · cpu-clock: 5 314 samples, none lost; of all (perf-ts record -g -- COMMAND)';
  expect(wrapRemark(line, 44)).toEqual([
    '# node app.js: 3.63 s · cpu-clock:',
    '#   5 314 samples, none lost; of all',
    '#   (perf-ts record -g -- COMMAND)',
  ]);
  expect(wrapRemark(line, 200)).toEqual([line]);
});

test('a notice is wrapped as a remark is, and a hint below it is not', () => {
  expect(wrapRemark('perf-ts: on a CPU: it waited, or others ran (perf-ts record)', 34)).toEqual([
    'perf-ts: on a CPU: it waited,',
    '  or others ran (perf-ts record)',
  ]);
  const hint = "  or run it as root: su -c 'perf-ts record --user newb …'";
  expect(wrapRemark(hint, 34)).toEqual([hint]);
});

test('rows are not wrapped, nor remarks without a pause', () => {
  for (const line of [`53 %  parse, ${'x'.repeat(90)}`, `# ${'word '.repeat(20)}`]) {
    expect(wrapRemark(line, 40)).toEqual([line]);
  }
});
