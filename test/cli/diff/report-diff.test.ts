import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';

const scratch = scratchDirectory();

type Shares = { readonly share: number; readonly otherShare: number };

/**
 * `perf script` of 400 samples or `length` of them, of which so many per hundred are in `slow`, in no
 * regular order: samples that alternate regularly would be in step with the program. Each is of 7 events, the
 * first one weighs 10 and the last one 4.
 */
function recording(name: string, slow: number, event = 'cycles', length = 400): string {
  const places = Array.from({ length }, (_, ms) => ms);
  const mixed = places.toSorted((a, b) => mix(a) - mix(b));
  const areSlow = new Set(mixed.slice(0, Math.round((slow / 100) * length)));
  const lines = places.map((ms) => {
    const func = areSlow.has(ms) ? '402000 slow+0x0' : '401000 fast+0x0';
    return `app 10 100.${String(ms).padStart(3, '0')}000: 7 ${event}: ${func} (/bin/app)`;
  });
  const path = join(scratch, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

/** A number that looks random. */
const mix = (place: number): number => Math.imul(place + 1, 2_654_435_761) ^ (place * 40_503);

const before = recording('before.txt', 20);
const after = recording('after.txt', 50);

type Named = { readonly name: string };

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
    const text = perfTs(['diff', before, after, '--by', 'share']).stdout;
    expect(text.split('\n')[0]).toBe(`# before: ${before}, after: ${after}`);
    expect(text).toMatch(/\+30\.00 .* 20\.11% .* 50\.11% .*slow/);
    expect(text).toMatch(/-30\.00 .*fast/);
  });

  test('a diff begins with the totals, and leaves what takes as long as before alone', () => {
    // 200 samples of 640 are in `fast`, as they were of 400.
    const longer = recording('longer.txt', 68.75, 'cycles', 640);
    const { stdout } = perfTs(['diff', after, longer]);
    expect(stdout).toMatch(/^# cycles: 2\.8k → 4\.48k, \+1\.68k \(\+60%\)/m);
    expect(stdout).toMatch(/^\+1\.68k .* \+120% +1\.4k +3\.08k .*slow$/m);
    expect(stdout).not.toMatch(/fast$/m);
    expect(stdout).toContain('… 1 more row, which may be alike (-n 0 shows all)');
    const whole = perfTs(['diff', after, longer, '-n', '0']).stdout;
    expect(whole).toMatch(/^ +\+3 .* \? +\+0\.2% +1\.4k +1\.4k +49\.89% +31\.25% .*fast$/m);
    const [{ by, unit, total, seconds, otherSeconds, changes }] = JSON.parse(
      perfTs(['diff', after, longer, '--json']).stdout,
    ).events;
    expect({ by, unit, seconds, otherSeconds }).toEqual({
      by: 'absolute',
      unit: 'events',
      seconds: 0.639,
      otherSeconds: 0.399,
    });
    expect(total.absolute).toMatchObject({ here: 4480, there: 2800, isCertain: true });
    const fast = changes.find(({ name }: { name: string }) => name === 'fast');
    expect(fast).toMatchObject({ isCertain: true, absolute: { delta: 3, isCertain: false } });
  });

  test('a diff is by the second where that is asked for', () => {
    const longer = recording('slower.txt', 50, 'cycles', 800);
    const { stdout } = perfTs(['diff', after, longer, '--by', 'second']);
    expect(stdout).toMatch(/^# cycles per second: 7\.02k → 7\.01k, .* as much as runs/m);
    const folded = join(scratch, 'one.folded');
    writeFileSync(folded, 'main;work 5\n');
    const { status, stderr } = perfTs(['diff', folded, folded, '--by', 'second']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('a recording has no times')]);
  });

  test('a diff of several recordings a side takes the spread from them', () => {
    const [a, b, c, d] = [300, 310, 390, 400].map((length, i) =>
      recording(`run-${i}.txt`, 50, 'cycles', length),
    );
    const sides = ['diff', '--baseline', a, '--baseline', b, c, d];
    const { stdout } = perfTs([...sides, '--json']);
    const { files, otherFiles, events } = JSON.parse(stdout);
    expect({ files, otherFiles }).toEqual({ files: [c, d], otherFiles: [a, b] });
    const [{ runs, otherRuns, samples, total, sensitivity }] = events;
    expect(perfTs(sides).stdout).toMatch(
      /^# of (\w+), a change by [\d.]+% could be seen, four times in five; for one by 10%, about \d+ recordings a side$/m,
    );
    const most = events[0].changes.find(({ name }: Named) => name === sensitivity.name);
    expect(sensitivity.least).toBeCloseTo(sensitivity.part * most.absolute.there, 6);
    expect({ runs, otherRuns, samples }).toEqual({ runs: 2, otherRuns: 2, samples: 790 });
    // Student's t of 2 degrees is 4.303, and the variance of both sides 2450 / 2.
    const { here, there, interval } = total.absolute;
    expect([here, there]).toEqual([7 * 395, 7 * 305]);
    expect(interval.high - interval.low).toBeCloseTo(2 * 4.3027 * 7 * Math.sqrt(50), 0);
    expect(perfTs(sides).stdout).toContain('(means of 2 and 2 recordings)');
    expect(perfTs(['diff', '--old', a, b, '--new', c, d, '--json']).stdout).toBe(stdout);
    const three = perfTs(['diff', a, b, c]);
    expect([three.status, three.stderr]).toEqual([2, expect.stringContaining('--old OLD1 OLD2')]);
    const stray = perfTs(['diff', a, '--new', c]);
    expect([stray.status, stray.stderr]).toEqual([
      2,
      expect.stringContaining('name the older one'),
    ]);
  });

  test('a diff of a recording with itself has no certain change', () => {
    const { stdout } = perfTs(['report', after, '--diff', after]);
    expect(stdout).toMatch(/^ +0 .* \? .*slow/m);
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
    expect(stderr).toContain('cycles is compared with time before');
    expect(JSON.parse(stdout).events[0]).toMatchObject({ event: 'cycles', otherSamples: 2 });
    expect(perfTs(['diff', old, after, '-e', 'cycles']).status).toBe(2);
  });

  test('the rows of a diff are functions', () => {
    expect(perfTs(['report', after, '--diff', before, '--tree']).status).toBe(2);
    expect(perfTs(['report', after, '--diff', before, '--sort', 'dso']).status).toBe(2);
  });
});
