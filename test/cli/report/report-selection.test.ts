import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { perfTs } from '../../helpers/cli.ts';
import { CORPORA, hasCorpora } from '../../helpers/corpora.ts';

const own = (name: string) => join(CORPORA, 'own', `${name}.data`);
const THREADS = own('multi-5events-threads-forks');
const GROUP = own('group-S-F1000');

type Row = {
  self: number;
  total: number;
  selfShare: number;
  totalShare: number;
  [key: string]: unknown;
};
type Event = { event: string; samples: number; total: number; rows: Row[] };

function reportOf(file: string, ...options: string[]): Event[] {
  const run = perfTs(['report', '--json', '--weight', 'period', ...options, file]);
  expect([run.status, run.stderr.includes('Error')]).toEqual([0, false]);
  return (JSON.parse(run.stdout) as { events: Event[] }).events;
}

const sum = (rows: readonly Row[]) => rows.reduce((total, row) => total + row.self, 0);

describe.skipIf(!hasCorpora)('report', () => {
  test('report --sort with several keys has a row per combination, and the whole weight', () => {
    for (const event of reportOf(THREADS, '--sort', 'comm,tid,dso')) {
      expect(sum(event.rows)).toBe(event.total);
      for (const { comm, tid, dso } of event.rows) {
        expect([typeof comm, typeof tid, typeof dso]).toEqual(['string', 'number', 'string']);
      }
      const keys = event.rows.map(({ comm, tid, dso }) => `${comm} ${tid} ${dso}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  test('a selection keeps the share that the table shows', () => {
    const [whole] = JSON.parse(perfTs(['report', '--json', THREADS]).stdout).events as Event[];
    const [first] = whole.rows;
    const kept = perfTs(['report', '--symbol', String(first.name), '-n', '1', THREADS]).stderr;
    const share = `${(100 * whole.rows.filter(({ name }) => name === first.name).reduce((sum, row) => sum + row.totalShare, 0)).toFixed(2)}%`;
    expect(kept).toContain(`${share} of ${whole.event}`);
  });

  test('a time without samples is told when there are some', () => {
    const { stderr, status } = perfTs(['report', '--time', '0,0.001', '-n', '1', THREADS]);
    expect(status).toBe(1);
    expect(perfTs(['report', '-q', '--time', '0,0.001', THREADS]).status).toBe(1);
    expect(stderr).toMatch(/--time 0,0\.001: 0 of [\d ]+ samples/);
    const [, from, to] = /were taken from ([\d.]+) to ([\d.]+) s of/.exec(stderr) ?? [];
    const found = perfTs([
      'report',
      '--time',
      `${Math.floor(Number(from))},${to}1`,
      '-n',
      '1',
      THREADS,
    ]);
    expect(found.stderr).toMatch(/: (\d[\d ]*) of \1 samples/);
    const [, advised] = /\(--time (\S+) is the first half second\)/.exec(stderr) ?? [];
    expect(perfTs(['report', '-n', '1', '--time', advised, THREADS]).status).toBe(0);
  });

  test('names and numbers that select nothing are answered by those that the recording has', () => {
    const { stderr, status } = perfTs(['report', '--comm', 'nosuch', '--pid', '7', THREADS]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/each comm of the recording: \S/);
    expect(stderr).toMatch(/each pid of the recording: \d+/);
    expect(stderr).not.toContain('each dso');
  });

  test.each(['report', 'script', 'annotate', 'periods', 'export -o -', 'diff'])(
    '%s ends with status 1 where the selection has no sample, and vouches for nothing',
    (line) => {
      const [command, ...options] = line.split(' ');
      const files = command === 'diff' ? [THREADS, GROUP] : [THREADS];
      const format = command === 'export' ? ['--format', 'folded'] : [];
      const { status, stdout } = perfTs([
        command,
        ...format,
        ...options,
        '--comm',
        'nobody',
        ...(command === 'annotate' ? ['-i'] : []),
        ...files,
      ]);
      expect([command, status]).toEqual([command, 1]);
      expect(stdout).not.toMatch(/95 of 100|# next:/);
    },
  );

  test('selections that divide the samples divide the weights', () => {
    const whole = reportOf(THREADS, '--sort', 'tid');
    const tids = [...new Set(whole.flatMap(({ rows }) => rows.map(({ tid }) => tid as number)))];
    expect(tids.length).toBeGreaterThan(5);
    const [some, others] = [tids.slice(0, 3), tids.slice(3)].map((list) =>
      reportOf(THREADS, '--tid', list.join(',')),
    );
    whole.forEach(({ total, samples }, i) => {
      expect(some[i].total + others[i].total).toBe(total);
      expect(some[i].samples + others[i].samples).toBe(samples);
    });
  });

  test('every export has the selected samples only', () => {
    const select = ['--tid', '6378,6380', '-e', 'cpu-clock/period=1000000/', '--weight', 'samples'];
    const samples = reportOf(THREADS, '--tid', '6378,6380')[0].samples;
    const exported = (format: string) =>
      perfTs(['export', '--format', format, '-o', '-', ...select, THREADS]).stdout;
    const folded = exported('folded').trimEnd().split('\n');
    const weightOf = (line: string) => Number(line.slice(line.lastIndexOf(' ')));
    expect(folded.reduce((total, line) => total + weightOf(line), 0)).toBe(samples);
    const speedscope = JSON.parse(exported('speedscope')) as {
      profiles: { samples: unknown[] }[];
    };
    expect(speedscope.profiles.reduce((n, profile) => n + profile.samples.length, 0)).toBe(samples);
    const firefox = JSON.parse(exported('firefox')) as {
      threads: { samples: { length: number } }[];
    };
    expect(firefox.threads.reduce((n, thread) => n + thread.samples.length, 0)).toBe(samples);
  });

  test('a group is one table with a column per event, unless told otherwise', () => {
    const text = perfTs(['report', GROUP]).stdout;
    expect(text).toMatch(/^cpu-clock +page-faults +context-switches +file +function$/m);
    // The members of a group are of the same moments: so is what is to be known about them.
    const remarks = text.split('\n').filter((line) => line.startsWith('# trust: counted where'));
    expect(remarks).toHaveLength(1);
    const apart = perfTs(['report', '--no-group', GROUP]).stdout;
    expect(apart.match(/^ *self /gm)).toHaveLength(3);
  });

  test('--children sorts by total, --no-children leaves totals out', () => {
    const file = own('cpu-clock-F30000-fp');
    const totals = reportOf(file, '--children')[0].rows.map(({ total }) => total);
    expect(totals).toEqual(totals.toSorted((a, b) => b - a));
    expect(perfTs(['report', '--no-children', file]).stdout).not.toContain('total');
  });

  test.each<[string[], number, string]>([
    [['--sort', 'comm,nonsense'], 2, 'nonsense'],
    [['--time', '5%-1%'], 2, '--time'],
    [['--cpu', 'x'], 2, '-C x'],
    [['--tid', '1,x'], 2, '--tid'],
  ])('%j is refused', (options, status, reason) => {
    const run = perfTs(['report', ...options, GROUP]);
    expect([run.status, run.stderr]).toEqual([status, expect.stringContaining(reason)]);
  });
});
