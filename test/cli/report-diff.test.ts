import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';

const scratch = scratchDirectory();

type Shares = { readonly share: number; readonly otherShare: number };

/** `perf script` of 400 samples, of which so many per hundred are in `slow`, spread evenly. */
function recording(name: string, slow: number, event = 'cycles'): string {
  const lines = Array.from({ length: 400 }, (_, ms) => {
    const func = (ms * slow) % 100 < slow ? '402000 slow+0x0' : '401000 fast+0x0';
    return `app 10 100.${String(ms).padStart(3, '0')}000: 7 ${event}: ${func} (/bin/app)`;
  });
  const path = join(scratch, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const before = recording('before.txt', 20);
const after = recording('after.txt', 50);

describe('the difference of two recordings', () => {
  test('a diff lists changes in points of self, with intervals, largest first', () => {
    const { status, stdout } = perfTs(['report', after, '--diff', before, '--json']);
    expect(status).toBe(0);
    const { schema, events } = JSON.parse(stdout);
    expect(schema).toBe('perf-ts/diff@1');
    expect(events[0]).toMatchObject({ event: 'cycles', samples: 400, otherSamples: 400 });
    for (const change of events[0].changes) {
      expect(Math.abs(change.delta)).toBeCloseTo(0.3);
      expect(change.isCertain).toBe(true);
      expect(change.interval.low).toBeLessThan(change.delta);
      expect(change.interval.high).toBeGreaterThan(change.delta);
    }
    const text = perfTs(['report', after, '--diff', before]).stdout;
    expect(text.split('\n')[0]).toBe(`# here: ${after}, there: ${before}`);
    expect(text).toMatch(/\+30\.00 .* 50\.00% .* 20\.00% .*slow/);
    expect(text).toMatch(/-30\.00 .*fast/);
  });

  test('a diff of a recording with itself has no certain change', () => {
    const { stdout } = perfTs(['report', after, '--diff', after]);
    expect(stdout).toMatch(/ 0\.00 .* \? .*slow/);
  });

  test('a selection applies to both recordings of a diff', () => {
    const part = ['report', after, '--diff', before, '--json', '--symbol', 'slow'];
    const { stdout, stderr } = perfTs(part);
    const [{ samples, otherSamples, changes }] = JSON.parse(stdout).events;
    expect([samples, otherSamples]).toEqual([200, 80]);
    expect(changes.map(({ share, otherShare }: Shares) => [share, otherShare])).toEqual([[1, 1]]);
    expect(stderr).toContain('200 of 400 samples');
    expect(stderr).toContain('80 of 400 samples');
    expect(perfTs(['report', after, '--diff', before, '--tid', 'x']).status).toBe(2);
  });

  test('report --diff and diff print the same', () => {
    const text = perfTs(['report', after, '--diff', before]).stdout;
    expect(perfTs(['diff', before, after]).stdout).toBe(text);
    const part = ['--json', '--weight', 'period', '-e', 'cycles', '--symbol', 'slow'];
    const { events } = JSON.parse(perfTs(['diff', before, after, ...part]).stdout);
    expect([events[0].samples, events[0].otherSamples]).toEqual([200, 80]);
    expect(perfTs(['diff', join(scratch, 'none.data'), after]).status).toBe(125);
  });

  test('a diff of an event that one recording lacks is refused', () => {
    const other = recording('faults.txt', 20, 'page-faults');
    const { status, stderr } = perfTs(['report', after, '--diff', other]);
    expect(status).toBe(2);
    expect(stderr).toContain(`no event named cycles in ${other}\n  it has: page-faults`);
  });

  test('a diff covers the events of both recordings and lists the others', () => {
    const both = join(scratch, 'both.txt');
    const lines = [before, recording('more.txt', 20, 'page-faults')].map((path) =>
      readFileSync(path),
    );
    writeFileSync(both, Buffer.concat(lines));
    const { status, stdout, stderr } = perfTs(['diff', before, both, '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ file: both, otherFile: before });
    expect(JSON.parse(stdout).events.map(({ event }: { event: string }) => event)).toEqual([
      'cycles',
    ]);
    expect(stderr).toContain(`not compared: no event named page-faults in ${before}`);
    expect(perfTs(['diff', before, both, '-e', 'page-faults']).status).toBe(2);
  });

  test('a diff compares the time of a .cpuprofile with the first event of a recording', () => {
    const frame = {
      functionName: 'slow',
      scriptId: '1',
      url: '',
      lineNumber: -1,
      columnNumber: -1,
    };
    const old = join(scratch, 'old.cpuprofile');
    const nodes = [{ id: 1, callFrame: frame }];
    writeFileSync(old, JSON.stringify({ nodes, samples: [1, 1], timeDeltas: [0, 5], endTime: 9 }));
    const { status, stdout, stderr } = perfTs(['diff', old, after, '--json']);
    expect(status).toBe(0);
    expect(stderr).toContain('cycles here is compared with time there');
    expect(JSON.parse(stdout).events[0]).toMatchObject({ event: 'cycles', otherSamples: 2 });
    expect(perfTs(['diff', old, after, '-e', 'cycles']).status).toBe(2);
  });

  test('the rows of a diff are functions', () => {
    expect(perfTs(['report', after, '--diff', before, '--tree']).status).toBe(2);
    expect(perfTs(['report', after, '--diff', before, '--sort', 'dso']).status).toBe(2);
  });
});
