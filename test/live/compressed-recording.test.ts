// `record -z`: compressed while it is recorded, and read again by perf-ts and by perf.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DATA_SIZE_OFFSET } from '../../src/formats/perf-data/header.ts';
import { loadBinding } from '../../src/native/binding.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import {
  accounted,
  CLI,
  cleanEnvironment,
  findPerf,
  infoOf,
  perfStats,
  perfTs,
  scratchDirectory,
  startPerfTs,
} from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { canMount, inMountNamespace } from '../helpers/mount-namespace.ts';
import { perfOutput } from '../helpers/perf-output.ts';
import { childrenOf, until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const perfIsThere = findPerf() !== null;
const FAULTS = ['-e', 'page-faults:u', '-c', '1'];

function hasZstd(): boolean {
  try {
    return loadBinding().zstdProblem() === '';
  } catch {
    return false;
  }
}

type Compression = { level: number; bytes: number; writtenBytes: number; heldRounds: number };
type Summary = {
  readonly samples: number;
  readonly lost: { readonly records: number; readonly samples: number | null };
  readonly fileBytes: number;
  readonly recordedBytes: number;
  readonly compression: Compression | null;
};

/** Records the workload into `name`; the summary that `record --json` prints. */
function record(name: string, options: readonly string[], ...workload: string[]): Summary {
  const file = join(scratch, name);
  const words = ['record', '--json', '-o', file, ...options, '--', compileWorkload(), ...workload];
  const { status, stderr } = perfTs(words);
  expect(status).toBe(0);
  return JSON.parse(stderr.slice(stderr.indexOf('{"schema"')));
}

const inScratch = (name: string): string => join(scratch, name);

/** The same through a pipe, whose bytes are returned. */
function recordPipe(options: readonly string[], ...workload: string[]): Uint8Array {
  const file = inScratch('pipe.data');
  const words = [...options, '-o', '-', '--', compileWorkload(), 'threads', ...workload];
  const shell = 'file=$1; shift; exec "$@" > "$file"';
  const run = ['-c', shell, 'sh', file, process.execPath, CLI, 'record', ...words];
  execFileSync('sh', run, { stdio: ['ignore', 'ignore', 'ignore'] });
  return readFileSync(file);
}

/** The number that `12 345` stands for. */
function numberOf(text = ''): number {
  return Number(text.replaceAll(/\s/g, ''));
}

/** The size that the header states, 0 as long as there is none. */
function dataSize(file: string): number {
  if (!existsSync(file)) return 0;
  const header = readFileSync(file).subarray(0, DATA_SIZE_OFFSET + 8);
  return header.length < DATA_SIZE_OFFSET + 8
    ? 0
    : Number(header.readBigUInt64LE(DATA_SIZE_OFFSET));
}

/** The file that the dynamic linker takes. */
function libraryPath(): string {
  const listed = execFileSync('ldconfig', ['-p'], { encoding: 'utf8' });
  return realpathSync(/libzstd\.so\.1 .*=> (\S+)/.exec(listed)?.[1] ?? '');
}

async function samplesIn(file: string): Promise<number> {
  const { profile } = await openProfile(file);
  return profile.samples.length;
}

describeLive('a recording of record -z', () => {
  test.skipIf(!hasZstd()).each([
    ['callchains', '-z', ['-g']],
    ['stack dumps', '-z', ['--call-graph', 'dwarf']],
    ['records as large as there are', '-z3', ['--call-graph', 'dwarf,65528']],
    ['the level that compresses most', '-z22', ['-g']],
  ])('a compressed recording has the samples of a plain one: %s', async (name, level, options) => {
    const run = (file: string, more: readonly string[]) =>
      record(file, [...more, ...FAULTS, ...options], 'faults-pinned', '300');
    const plain = run(`${name}.plain.data`, []);
    const packed = run(`${name}.z.data`, [level]);
    expect(plain.compression).toBe(null);
    expect(packed.compression?.writtenBytes).toBeLessThan((packed.compression?.bytes ?? 0) / 2);
    for (const [file, summary] of [
      [inScratch(`${name}.plain.data`), plain],
      [inScratch(`${name}.z.data`), packed],
    ] as const) {
      const { records, truncatedAt, skippedBytes, features } = infoOf(file);
      expect([truncatedAt, skippedBytes]).toEqual([null, 0]);
      expect(records.SAMPLE).toBe(summary.samples);
      expect(features.includes('COMPRESSED')).toBe(summary === packed);
      expect('COMPRESSED' in records).toBe(summary === packed);
      expect(await samplesIn(file)).toBe(summary.samples);
    }
    // The loader maps what it finds at addresses of its choice: some pages more or less.
    const [made, packedMade] = ['plain', 'z'].map((kind) =>
      accounted(inScratch(`${name}.${kind}.data`)),
    );
    expect(Math.abs(made - packedMade)).toBeLessThan(30);
    expect(packedMade).toBeGreaterThanOrEqual(300);
  });

  test.skipIf(!hasZstd() || !perfIsThere).for([
    ['callchains', ['-e', 'cpu-clock', '-F', '4000', '-g']],
    ['stack dumps', ['-e', 'cpu-clock', '-F', '2000', '--call-graph', 'dwarf,65528']],
    ['all CPUs', ['-a', '-e', 'cpu-clock', '-F', '1000', '-g']],
    ['tracepoints', ['-e', 'sched:sched_switch', '-c', '1']],
    ['counts', ['-e', 'cpu-clock', '-F', '2000', '--counts', '--switch-events']],
  ] as const)('perf reads what perf-ts reads: %s', (row, { skip }) => {
    const [name, options] = row;
    const file = inScratch(`${name}.perf.data`);
    const { samples } = record(`${name}.perf.data`, ['-z', ...options], 'threads', '2', '0.2');
    expect(samples).toBeGreaterThan(0);
    const { records } = infoOf(file);
    expect(records.SAMPLE).toBe(samples);
    expect(perfStats(file)).toMatchObject({ SAMPLE: samples, COMPRESSED: records.COMPRESSED });
    // The same records, written again as they are.
    const plain = inScratch(`${name}.plain.data`);
    expect(perfTs(['inject', '-i', file, '-o', plain])).toMatchObject({ status: 0 });
    expect(infoOf(plain).records.COMPRESSED).toBeUndefined();
    const script = (path: string) =>
      perfOutput(skip, ['script', '--no-inline', '-i', path]).toString();
    expect(script(plain)).toBe(script(file));
    expect(perfOutput(skip, ['report', '--header-only', '-i', file]).toString()).toMatch(
      /^# compressed : Zstd, level = 1, ratio = \d+$/m,
    );
  });

  test.skipIf(!hasZstd() || !perfIsThere)('a pipe: perf reads it, too', ({ skip }) => {
    const pipe = recordPipe(['-q', '-z', '-g', '-e', 'cpu-clock', '-F', '2000'], '2', '0.2');
    const { records } = infoOf('-', pipe);
    expect(records.SAMPLE).toBeGreaterThan(0);
    expect(records.COMPRESSED).toBeGreaterThan(0);
    const script = perfOutput(skip, ['script', '-i', '-', '-F', 'event'], pipe).toString();
    expect(script.match(/cpu-clock/g)).toHaveLength(records.SAMPLE);
  });

  test.skipIf(!hasZstd())(
    'a compressed recording is readable up to a whole record when the recorder is killed',
    async () => {
      const file = inScratch('killed.data');
      const words = ['record', '-q', '-z', '-g', '-e', 'cpu-clock', '-F', '4000', '-o', file, '--'];
      const { child, ended } = startPerfTs([...words, compileWorkload(), 'burn', '2', '60']);
      const children = () => childrenOf(child.pid as number);
      await until(() => dataSize(file) > 20_000);
      const command = children();
      child.kill('SIGKILL');
      await ended;
      for (const pid of command) process.kill(pid, 'SIGKILL');
      const size = dataSize(file);
      const { records, skippedBytes } = infoOf(file);
      expect(records.SAMPLE).toBeGreaterThan(0);
      expect(skippedBytes).toBe(0);
      // Anything behind it was being written; before it no record is cut.
      expect(size).toBeGreaterThan(20_000);
      const { notes } = JSON.parse(perfTs(['info', '--json', file]).stdout) as { notes: string[] };
      expect(notes.filter((note) => note.includes('compressed'))).toEqual([]);
      if (!perfIsThere) return;
      const script = execFileSync('perf', ['script', '-i', file, '-F', 'event'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      expect(script.match(/cpu-clock/g)).toHaveLength(records.SAMPLE);
    },
  );

  test.skipIf(!hasZstd())('each of several files is compressed in a stream of its own', () => {
    const options = ['-z', '--call-graph', 'dwarf,65528', '--switch-output=100K', ...FAULTS];
    const { samples } = record('switched.data', options, 'pf', '3000', '3');
    const files = readdirSync(scratch).filter((name) => name.startsWith('switched.data'));
    const found = files.map((name) => infoOf(inScratch(name)).records.SAMPLE ?? 0);
    expect(found.reduce((sum, count) => sum + count)).toBe(samples);
    for (const name of perfIsThere ? files : []) {
      expect(perfStats(inScratch(name)).SAMPLE ?? 0).toBe(infoOf(inScratch(name)).records.SAMPLE);
    }
  });

  test.skipIf(!hasZstd())(
    'record -z loses nothing uncounted where compressing falls behind',
    () => {
      const file = inScratch('behind.data');
      const options = ['-e', 'cpu-clock', '-F', '4000', '--call-graph', 'dwarf,65528', '-o', file];
      const { status, stderr } = perfTs(
        ['record', '-z', ...options, '--', compileWorkload(), 'burn', '2', '2'],
        { env: { ...cleanEnvironment(), PERF_TS_ZSTD_HOLD_MS: '1000' } },
      );
      expect(status).toBe(0);
      expect(stderr).toMatch(
        /^perf-ts: compressing \(-z 1\) fell behind \d+ times, so that rings/m,
      );
      const [, samples, lost] = /^perf-ts: (.+) samples of .*, lost (\S+ ?\d*)/m.exec(stderr) ?? [];
      const { records, loss } = infoOf(file);
      expect(records.SAMPLE).toBe(numberOf(samples));
      expect(loss.best).toBe(numberOf(lost));
      expect(loss.best).toBeGreaterThan(0);
    },
  );

  test.skipIf(!hasZstd())('the recording is a plain one once stack dumps were unwound', () => {
    const options = ['-z', '--call-graph', 'auto', '-e', 'cpu-clock', '-F', '2000'];
    const summary = record('auto.data', options, 'burn', '1', '0.2');
    const { records, features } = infoOf(inScratch('auto.data'));
    expect(records.SAMPLE).toBe(summary.samples);
    expect(records.COMPRESSED).toBeUndefined();
    expect(features).not.toContain('COMPRESSED');
    const { bytes, writtenBytes } = summary.compression as Compression;
    expect(writtenBytes).toBeLessThan(bytes / 2);
    expect(summary.fileBytes).not.toBe(summary.recordedBytes);
  });

  test.skipIf(!hasZstd() || !canMount())('record -z is refused where libzstd is missing', () => {
    const library = libraryPath();
    const under = inMountNamespace(`mount --bind /dev/null ${library}`);
    const file = inScratch('never.data');
    const words = ['record', '-z', '-o', file, ...FAULTS, '--', 'touch', inScratch('ran')];
    const { status, stderr } = perfTs(words, { under });
    expect(status).toBe(125);
    expect(stderr).toMatch(/^perf-ts: -z compresses with libzstd, which cannot be used: .*libzstd/);
    expect(stderr).toContain('apt-get install libzstd1');
    expect([existsSync(file), existsSync(inScratch('ran'))]).toEqual([false, false]);
    // All else works without it.
    const plain = ['record', '-q', '-o', file, ...FAULTS, '--', 'true'];
    expect(perfTs(plain, { under })).toMatchObject({ status: 0, stderr: '' });
  });

  test.each(['0', '23', '1.5', 'x'])('zstd has no level %s', (level) => {
    const { status, stderr } = perfTs(['record', `-z${level}`, '--', 'true']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^perf-ts: -z .*: expected a (level from 1|whole number)/);
  });
});
