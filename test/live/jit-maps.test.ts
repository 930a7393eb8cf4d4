// Code that a JIT makes is named by what was at its address at the time.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readAppendix } from '../../src/formats/perf-data/appendix.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { withRecording } from '../../src/read/open-recording.ts';
import { findPerf, perfStats, perfTs, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { compileJitReuse } from '../helpers/compile.ts';
import { describeLiveAsUser } from '../helpers/live.ts';
import { removeProgramMaps } from '../helpers/program-maps.ts';
import { childrenOf, until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const PHASES = 6;
const REUSED = /^samples in JIT code at addresses that held other code at other times/;

/** Times of the phases, raw nanoseconds, from what jit-reuse prints. */
const phasesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => BigInt(line.split(' ')[1]));

/** Name, source line and raw time of every sample in JIT code, and what was said of them. */
async function jitSamples(file: string) {
  const { profile, diagnostics } = await openProfile(file);
  const { samples, stacks, frames, funcs, strings, dsos, meta } = profile;
  const found: { name: string; line: number; time: bigint }[] = [];
  for (let sample = 0; sample < samples.length; sample++) {
    const frame = stacks.frame[samples.stack[sample]];
    if (dsos[frames.dso[frame]]?.kind !== 'jit') continue;
    const name = strings[funcs.name[frames.func[frame]]];
    const time = BigInt(meta.startTime) + BigInt(samples.timeNs[sample]);
    found.push({ name, line: frames.line[frame], time });
  }
  const reused = diagnostics.entries().find(({ reason }) => REUSED.test(reason));
  return { found, reused };
}

/** The phase that was running. */
const phaseAt = (phases: readonly bigint[], time: bigint) =>
  phases.filter((start) => start <= time).length - 1;

/**
 * When the stored map was looked at: each piece's lines came between these times. The map itself,
 * which the program left behind, is removed.
 */
function windowsOf(file: string): { from: bigint; to: bigint }[] {
  const stored = withRecording(file, (data) =>
    readAppendix(data).map(({ name, bytes }) => ({ name, map: inflateSync(bytes) })),
  );
  removeProgramMaps(file);
  const map = stored[0]?.map;
  const windows: { from: bigint; to: bigint }[] = [];
  for (let at = 0; map !== undefined && at < map.length; ) {
    windows.push({ from: map.readBigUInt64LE(at), to: map.readBigUInt64LE(at + 8) });
    at += 32 + Number(map.readBigUInt64LE(at + 24));
  }
  return windows;
}

function record(file: string, words: readonly string[], more: readonly string[] = []) {
  const options = ['record', '-q', '-e', 'cpu-clock:u', '-F', '2000', '-o', file, ...more];
  const outcome = perfTs([...options, '--', ...words], { cwd: scratch });
  expect(outcome.stderr).toBe('');
  expect(outcome.status).toBe(0);
  return outcome;
}

describeLiveAsUser('code of a JIT that uses its addresses again', () => {
  const program = compileJitReuse();

  it('JIT code is named by its map, but for the time between two scans', async () => {
    const file = join(scratch, 'map.data');
    const { stdout } = record(file, [program, 'map', String(PHASES), '300000000']);
    const phases = phasesOf(stdout);
    const windows = windowsOf(file);
    const { found, reused } = await jitSamples(file);
    expect(found.length).toBeGreaterThan(PHASES);
    const wrong = found.filter(({ name, time }) => name !== `phase_${phaseAt(phases, time)}`);
    const isBetweenLooks = (time: bigint) =>
      windows.some(({ from, to }) => from <= time && time <= to);
    expect(wrong.filter(({ time }) => !isBetweenLooks(time))).toEqual([]);
    expect(new Set(found.map(({ name }) => name)).size).toBeGreaterThan(1);
    expect(reused?.reason).toMatch(/named by time$/);
    expect(reused?.count).toBe(found.length);
  });

  it('JIT code is named by its jitdump exactly, with lines', async () => {
    const file = join(scratch, 'dump.data');
    const { stdout } = record(file, [program, 'dump', String(PHASES), '100000000']);
    const phases = phasesOf(stdout);
    const { found } = await jitSamples(file);
    expect(found.length).toBeGreaterThan(PHASES);
    for (const { name, line, time } of found) {
      expect([name, line]).toEqual([`phase_${phaseAt(phases, time)}`, phaseAt(phases, time) + 1]);
    }
  });

  it.skipIf(findPerf() === null)(
    'perf reads and rewrites a recording with stored perf maps',
    () => {
      const file = join(scratch, 'for-perf.data');
      record(file, [program, 'map', '2', '50000000']);
      expect(windowsOf(file).length).toBeGreaterThan(0);
      const samples = perfStats(file).SAMPLE;
      expect(samples).toBeGreaterThan(0);
      const copy = join(scratch, 'injected.data');
      const inject = spawnSync('perf', ['inject', '-i', file, '-o', copy], { encoding: 'utf8' });
      expect(inject.status).toBe(0);
      expect(perfStats(copy).SAMPLE).toBe(samples);
    },
  );
});

describeLiveAsUser('Node', () => {
  it('perf maps are stored in the recording and removed from /tmp', async () => {
    const script = join(scratch, 'hot.cjs');
    writeFileSync(
      script,
      `function hot(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) % 7; return s; }
       let sum = 0; for (let i = 0; i < 60; i++) sum += hot(300_000);
       console.log(process.pid);`,
    );
    const file = join(scratch, 'node.data');
    const options = ['record', '-q', '-g', '-e', 'cpu-clock:u', '-F', '2000', '-o', file];
    const { stdout, status } = perfTs([...options, '--', process.execPath, script]);
    expect(status).toBe(0);
    expect(existsSync(`/tmp/perf-${stdout.trim()}.map`)).toBe(false);
    const { found } = await jitSamples(file);
    expect(found.some(({ name }) => name.includes('hot'))).toBe(true);
  });
});

describeLiveAsUser('Node that runs on after its recording', () => {
  it('a recorded program keeps nothing of it, can be attached to by name, and leaves nothing when it ends', async () => {
    const script = join(scratch, 'serve.cjs');
    const stop = join(scratch, 'stop');
    writeFileSync(
      script,
      `function hot(n) { return n < 2 ? n : hot(n - 1) + hot(n - 2); }
       let sum = 0;
       const timer = setInterval(() => {
         sum += hot(22);
         if (require('fs').existsSync(${JSON.stringify(stop)})) clearInterval(timer);
       }, 1);`,
    );
    const record = ['record', '-g', '-e', 'cpu-clock:u', '-F', '2000', '--duration', '0.7', '-o'];
    const command = [process.execPath, script];
    const first = [...record, join(scratch, 'first.data'), '--', ...command];
    const recorder = startPerfTs(first, { cwd: scratch });
    let left: string[] = [];
    try {
      await until(() => recorder.stderr().includes('samples of'));
      const [pid] = childrenOf(recorder.pid);
      const socket = `/tmp/perf-ts-${process.geteuid?.()}/${pid}.sock`;
      left = [`/tmp/perf-${pid}.map`, `/tmp/perf-ts-${pid}.notes`, socket];
      const second = join(scratch, 'second.data');
      expect(perfTs([...record, second, '-p', `${pid}`, '--attach-js']).status).toBe(0);
      const { found } = await jitSamples(second);
      expect(found.some(({ name }) => name.includes('hot'))).toBe(true);
      expect(left.map((path) => existsSync(path))).toEqual([false, false, false]);
    } finally {
      writeFileSync(stop, '');
    }
    expect((await recorder.ended).status).toBe(0);
    expect(left.map((path) => existsSync(path))).toEqual([false, false, false]);
    expect(readdirSync(scratch).filter((name) => name.endsWith('-v8.log'))).toEqual([]);
  });
});

const hasJava = spawnSync('java', ['-version']).status === 0;
if (!hasJava) console.warn('skipped: Java: no java on PATH');

describeLiveAsUser('Java', () => {
  it.skipIf(!hasJava)('JIT code is named by a map written at exit', async () => {
    const source = join(scratch, 'Spin.java');
    writeFileSync(
      source,
      `public class Spin {
         static long spin(long n) { long s = 1; for (long i = 0; i < n; i++) s = s * 31 + i; return s; }
         public static void main(String[] a) {
           long s = 0; for (int i = 0; i < 2000; i++) s += spin(100_000); System.out.println(s);
         }
       }`,
    );
    const file = join(scratch, 'java.data');
    const flags = ['-XX:+UnlockDiagnosticVMOptions', '-XX:+DumpPerfMapAtExit', '-Xshare:auto'];
    record(file, ['java', ...flags, source]);
    expect(windowsOf(file).length).toBeGreaterThan(0);
    const { found } = await jitSamples(file);
    expect(found.some(({ name }) => name.includes('Spin') && name.includes('spin'))).toBe(true);
  });
});
