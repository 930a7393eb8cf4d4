import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Profile as PprofProfile } from 'pprof-format';
import { beforeAll, expect, it } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { readFirefox } from '../helpers/firefox-profile.ts';
import { describeLive } from '../helpers/live.ts';
import { parseFolded } from '../helpers/round-trip.ts';

const scratch = scratchDirectory();
const recording = join(scratch, 'perf.data');

function exported(format: string, ...words: string[]): Buffer {
  const file = join(scratch, `out.${format}`);
  const outcome = perfTs(['export', recording, '--format', format, '-o', file, ...words]);
  expect(outcome.status, outcome.stderr).toBe(0);
  return readFileSync(file);
}

function pprof(...words: string[]) {
  const file = PprofProfile.decode(gunzipSync(exported('pprof', ...words)));
  const text = (index: number | bigint) => file.stringTable.strings[Number(index)];
  return { file, text, types: file.sampleType.map((it) => `${text(it.type)}/${text(it.unit)}`) };
}

describeLive('exports of a recording', () => {
  let workload: string;
  let startedMs: number;
  let endedMs: number;

  beforeAll(() => {
    workload = compileWorkload();
    startedMs = Date.now();
    const words = ['record', '-q', '-g', '-F', '2000', '-e', 'cpu-clock', '-o', recording, '--'];
    expect(perfTs([...words, workload, 'pf', '20480']).status).toBe(0);
    endedMs = Date.now();
  });

  it('pprof knows when it was, and where the program lay', () => {
    const { file, text, types } = pprof();
    expect(types).toEqual(['samples/count', 'cpu/nanoseconds']);
    expect(file.period).toBe(500_000);
    // The clocks of records and of the wall are read one after the other.
    const timeMs = Number(file.timeNanos) / 1e6;
    expect(timeMs).toBeGreaterThan(startedMs - 1000);
    expect(timeMs + Number(file.durationNanos) / 1e6).toBeLessThan(endedMs + 1000);
    const [main] = file.mapping;
    expect(text(main.filename)).toBe(workload);
    const notes = execFileSync('readelf', ['-n', workload], { encoding: 'utf8' });
    expect(notes).toContain(text(main.buildId));
    expect(text(main.buildId)).toMatch(/^[0-9a-f]{40}$/);
    expect(main.hasFunctions).toBe(true);
    expect(Number(main.memoryStart)).toBeGreaterThan(0);
  });

  it('all formats have the same sum and the same functions', () => {
    const { file, text } = pprof();
    const total = file.sample.reduce((sum, { value }) => sum + Number(value[1]), 0);
    const folded = parseFolded(exported('folded').toString());
    expect(folded.weights.values.reduce((a, b) => a + b, 0)).toBe(total);
    const firefox = readFirefox(exported('firefox').toString());
    const milliseconds = firefox.threads.flatMap(({ samples }) => samples.weight ?? []);
    expect(milliseconds.reduce((a, b) => a + b, 0) * 1e6).toBeCloseTo(total, 0);
    const names = new Set(file.function.map(({ name }) => text(name)));
    expect(names).toContain('main');
    for (const name of names) expect(firefox.shared.stringArray).toContain(name);
    expect(firefox.meta.startTime).toBeCloseTo(Number(file.timeNanos) / 1e6, 0);
  });

  it('exports by --weight samples count samples', () => {
    const { file, types } = pprof('--weight', 'samples');
    expect(types).toEqual(['samples/count']);
    const samples = file.sample.reduce((sum, { value }) => sum + Number(value[0]), 0);
    const { threads } = readFirefox(exported('firefox', '--weight', 'samples').toString());
    expect(threads.map(({ samples }) => samples.weightType)).toContain('samples');
    expect(threads.reduce((sum, thread) => sum + thread.samples.length, 0)).toBe(samples);
  });
});
