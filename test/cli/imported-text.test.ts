import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';

const scratch = scratchDirectory();
const written = (name: string, text: string): string => {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
};
const folded = written('stacks.folded', 'app;main;fast 3\napp;main;slow 9\n');
const script = written(
  'script.txt',
  [
    'app 10 100.000001:      7 cycles:  401000 main+0x0 (/bin/app)',
    'app 10 100.000002:      9 cycles:  402000 leaf+0x0 (/bin/app)',
    '',
  ].join('\n'),
);
const SPEEDSCOPE = {
  $schema: 'https://www.speedscope.app/file-format-schema.json',
  shared: { frames: [{ name: 'main' }, { name: 'fast' }, { name: 'slow' }] },
  profiles: [
    {
      type: 'sampled',
      name: 'app',
      unit: 'milliseconds',
      startValue: 0,
      endValue: 12,
      samples: [
        [0, 1],
        [0, 2],
      ],
      weights: [3, 9],
    },
  ],
};
const speedscope = written('app.speedscope.json', JSON.stringify(SPEEDSCOPE));

const fixture = (name: string) =>
  fileURLToPath(new URL(`../formats/import/fixtures/${name}`, import.meta.url));
const cpuProfile = fixture('node20.cpuprofile');
const heapProfile = fixture('node20.heapprofile');

describe('the text of another tool', () => {
  test('a report of folded stacks has no intervals and no unit', () => {
    for (const sort of ['sym', 'comm,sym']) {
      const { status, stdout } = perfTs(['report', '--sort', sort, folded]);
      expect(status).toBe(0);
      expect(stdout).toContain('the uncertainty of shares is unknown');
      expect(stdout).toContain('12 samples, 12 events (the numbers of the imported text)');
      expect(stdout).not.toContain('interval');
      expect(stdout).toContain('75.00%');
    }
    const [event] = JSON.parse(perfTs(['report', '--json', folded]).stdout).events;
    expect(event.effectiveSamples).toBe(null);
    expect(event.rows[0]).toMatchObject({ name: 'slow', selfShare: 0.75 });
    expect(event.rows[0]).not.toHaveProperty('selfLow');
  });

  test('a report of perf script text has intervals, since it has single samples', () => {
    const { stdout } = perfTs(['report', script]);
    expect(stdout).toContain('95% interval');
    expect(stdout).toContain('16 events (the numbers of the imported text)');
  });

  test('a report of a .cpuprofile has functions of JavaScript with intervals, idle time apart', () => {
    const { stdout } = perfTs(['report', cpuProfile]);
    expect(stdout).toMatch(/# event time: .* nanoseconds/);
    expect(stdout).toMatch(/\/tmp\/shop\/app\.js:2 +allocate$/m);
    expect(stdout).toMatch(/# event off-cpu: .*\n[^#]*100\.00% .*\(idle\)/);
    expect(stdout).toContain('95% interval');
    expect(perfTs(['report', heapProfile]).stdout).toMatch(/100\.00% .* grow/);
  });

  test('a .cpuprofile is exported as one, and the command prints which thread it has', () => {
    const exported = join(scratch, 'again.cpuprofile');
    const { status, stderr } = perfTs([
      'export',
      '--format',
      'cpuprofile',
      '-o',
      exported,
      cpuProfile,
    ]);
    expect(status).toBe(0);
    expect(stderr).toContain('perf-ts: the thread JavaScript, 100.00% of the selected time');
    const { stdout } = perfTs(['report', exported]);
    expect(stdout).toMatch(/\/tmp\/shop\/app\.js:2 +allocate$/m);
  });

  test('an event that is no time is exported as microseconds, which is reported', () => {
    const options = ['export', '--format', 'cpuprofile', '-o', '-'];
    const { stdout, stderr } = perfTs([...options, script]);
    expect(JSON.parse(stdout).timeDeltas).toEqual([0, 7, 9]);
    expect(stderr).toContain('a microsecond in it stands for one event of cycles, not for time');
  });

  test('a speedscope file is read: its threads, its sums, and its own export comes back the same', () => {
    const { status, stdout } = perfTs(['report', speedscope]);
    expect(status).toBe(0);
    expect(stdout).toContain('read from a speedscope file');
    expect(stdout).toMatch(/ 75\.00% .*slow/);
    expect(stdout).not.toContain('interval');
    const again = join(scratch, 'again.speedscope.json');
    perfTs(['export', '--format', 'speedscope', '-o', again, script]);
    const rows = (path: string) => {
      const [event] = JSON.parse(perfTs(['report', '--json', path]).stdout).events;
      return event.rows.map(({ name, self, total }: Record<string, unknown>) => [
        name,
        self,
        total,
      ]);
    };
    expect(rows(again)).toEqual(rows(script));
    expect(perfTs(['diff', script, again]).status).toBe(0);
    const { stderr } = perfTs(['diff', speedscope, script]);
    expect(stderr).toContain('cycles is compared with time before');
  });

  test('a speedscope file that was cut is refused in one line', () => {
    const cut = written('cut.json', JSON.stringify(SPEEDSCOPE).slice(0, -5));
    const { status, stderr } = perfTs(['report', cut]);
    expect(status).toBe(125);
    expect(stderr).toMatch(/^perf-ts: .*cut\.json.* no complete JSON.*\n$/);
  });

  test('a profile of a speedscope file that contradicts itself is left out, which is reported', () => {
    const text = JSON.stringify(SPEEDSCOPE).replace('"weights":[3,9]', '"weights":[3]');
    const { status, stdout, stderr } = perfTs(['report', written('wrong.json', text)]);
    expect(status).toBe(0);
    expect(`${stdout}${stderr}`).toContain('has 2 samples and 1 weights');
  });

  test('exports of imported text name their weight', () => {
    const options = ['export', '--format', 'speedscope', '-o', '-'];
    expect(perfTs([...options, folded]).stdout).toContain('(the numbers of the imported text)');
  });

  test.each([
    ['folded stacks', folded],
    ['text of perf script', script],
    ['a .cpuprofile', cpuProfile],
    ['a .heapprofile', heapProfile],
    ['a speedscope file', speedscope],
  ])('%s refuses imported text, which has no periods', (what, path) => {
    const { status, stderr } = perfTs(['periods', path]);
    expect(status).toBe(125);
    expect(stderr).toContain(`is ${what}: it doesn't say how events were sampled`);
  });
});
