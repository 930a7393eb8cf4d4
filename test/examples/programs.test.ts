import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { infoOf, perfTs, projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { compileHotPaths } from './hot-paths.ts';

const cwd = scratchDirectory();

/** Runs one of the programs in examples/ and returns its lines, without the example command's. */
function runExample(name: string, ...args: string[]): string[] {
  const program = join(projectRoot, 'examples', name);
  const text = execFileSync(process.execPath, [program, ...args], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('hot-paths: '));
}

/** Weights of folded lines whose stack ends with `ending`. */
function sumEndingWith(folded: string, ending: string): number {
  let sum = 0;
  for (const line of folded.split('\n')) {
    const space = line.lastIndexOf(' ');
    if (line.slice(0, space).endsWith(ending)) sum += Number(line.slice(space + 1));
  }
  return sum;
}

describeLive('the programs in examples/', () => {
  const hotPaths = compileHotPaths();

  test('hot-paths spends two parts under solve for each under checksum', () => {
    const file = join(cwd, 'hot-paths.perf.data');
    perfTs([
      'record',
      '-q',
      '-F',
      '10000',
      '-g',
      '-e',
      'cpu-clock',
      '-o',
      file,
      '--',
      hotPaths,
      '1',
    ]);
    const folded = perfTs(['export', file, '--format', 'folded', '-o', '-']).stdout;
    const solve = sumEndingWith(folded, ';main;solve;solve_row;mix');
    const checksum = sumEndingWith(folded, ';main;checksum;mix');
    expect(solve / checksum).toBeGreaterThan(1.6);
    expect(solve / checksum).toBeLessThan(2.5);
  });

  test('top-functions names the hottest function first and counts what the file holds', () => {
    const [head, first] = runExample('top-functions.mjs', hotPaths, '0.5');
    const { records } = infoOf(join(cwd, 'top-functions.perf.data'));
    expect(head).toBe(`${records.SAMPLE} samples, lost 0`);
    expect(first).toMatch(/^ *\d+\.\d% +\d+\.\d% mix$/);
  });

  test('live-rate prints each second once, in order', () => {
    const lines = runExample('live-rate.mjs', hotPaths, '1.5');
    const parsed = lines.map((line) => /^second (\d+): (\d+) samples, lost 0$/.exec(line));
    expect(parsed.map((match) => Number(match?.[1]))).toEqual(lines.map((_, index) => index));
    expect(lines.length).toBeGreaterThan(1);
    expect(Number(parsed[0]?.[2])).toBeGreaterThan(0);
  });

  test('dump-perf-data prints a line for each record', () => {
    const file = join(cwd, 'dumped.perf.data');
    perfTs(['record', '-q', '-e', 'page-faults', '-c', '1', '-o', file, '--', 'true']);
    const lines = runExample('dump-perf-data.mjs', file);
    const { records } = infoOf(file);
    for (const type of ['SAMPLE', 'COMM', 'MMAP2', 'EXIT']) {
      const printed = lines.filter((line) => line.split(' ')[1] === type).length;
      expect([type, printed]).toEqual([type, records[type]]);
      expect(lines).toContain(`# ${type}: ${printed}`);
    }
  });

  test('period-convergence starts at a period of 1, as the kernel does', () => {
    const lines = runExample('period-convergence.mjs', '2000', hotPaths, '0.5');
    expect(lines[0]).toMatch(/^page-faults: 2000 Hz asked, \d+ streams$/);
    expect(lines[1]).toMatch(/^stream \d+: [a-z-]+, \d+ samples$/);
    expect(lines[2]).toMatch(/^ {2}first periods {2}1 /);
  });

  test('export-all writes every format next to the recording', () => {
    const file = join(cwd, 'exported.perf.data');
    perfTs(['record', '-q', '-g', '-e', 'page-faults', '-c', '1', '-o', file, '--', hotPaths, '0']);
    const lines = runExample('export-all.mjs', file);
    expect(lines.map((line) => line.split(':')[0])).toEqual([
      `${file}.folded`,
      `${file}.speedscope.json`,
      `${file}.cpuprofile`,
      `${file}.html`,
      `${file}.svg`,
      `${file}.firefox.json`,
      `${file}.pb.gz`,
    ]);
    const pprof = join(cwd, 'command.pb.gz');
    perfTs(['export', file, '--format', 'pprof', '-o', pprof]);
    expect(readFileSync(`${file}.pb.gz`)).toEqual(readFileSync(pprof));
    for (const ending of [
      'folded',
      'speedscope.json',
      'html',
      'svg',
      'firefox.json',
      'cpuprofile',
    ]) {
      const written = `${file}.${ending}`;
      expect(existsSync(written)).toBe(true);
      const format = ending.split('.')[0];
      const { stdout } = perfTs(['export', file, '--format', format, '-o', '-']);
      expect(readFileSync(written, 'utf8')).toBe(stdout);
    }
  });
});
