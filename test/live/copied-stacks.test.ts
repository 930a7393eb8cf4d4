// Recordings with copied user stacks, of a program without frame pointers: unwound as perf does,
// whole, and kept as callchains when the copies go.

import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { type OpenedProfile, openProfile } from '../../src/read/open-profile.ts';
import { openRecording, withSource } from '../../src/read/open-recording.ts';
import { findPerf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileC } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();
const source = join(dirname(fileURLToPath(import.meta.url)), '../helpers/stacks.c');
const CLOCK = ['-e', 'cpu-clock', '-F', '2000'];
const ROUNDS = '1500';

/** Recordings by how their stacks were recorded: each is made once. */
const recorded = new Map<string, string>();

function record(callGraph: string): string {
  const known = recorded.get(callGraph);
  if (known !== undefined) return known;
  const program = compileC(source, ['-O2', '-fomit-frame-pointer']);
  const file = join(scratch, `${callGraph}.data`);
  const args = ['record', '-q', ...CLOCK, '--call-graph', callGraph, '-o', file];
  const { status, stderr } = perfTs([...args, '--', program, ROUNDS]);
  expect([status, stderr]).toEqual([0, '']);
  recorded.set(callGraph, file);
  return file;
}

/** `ip symbol` per frame, by the sample's time. */
function stacksOf(text: string): Map<string, string[]> {
  const stacks = new Map<string, string[]>();
  for (const block of text.split(/\n\n+/)) {
    const [head = '', ...frames] = block.trim().split('\n');
    if (head === '') continue;
    stacks.set(
      head.trim(),
      frames.map((frame) => frame.trim().replace(/@.*$/, '')),
    );
  }
  return stacks;
}

function scriptOf(file: string): Map<string, string[]> {
  return stacksOf(
    perfTs(['script', '-i', file, '--ns', '--no-inline', '-F', 'time,ip,sym']).stdout,
  );
}

/** Shares of whole stacks; there must be enough of them to mean something. */
function wholeShare({ completeness }: OpenedProfile): number {
  if (completeness === null) throw new Error('the recording has no stacks');
  expect(completeness.samples).toBeGreaterThan(100);
  return completeness.complete / completeness.samples;
}

function sampleTypeOf(file: string): number {
  return withSource(file, (bytes) => openRecording(bytes).attrs[0]?.attr.sampleType ?? 0);
}

describeLive('copied stacks', () => {
  it('stack dumps give complete stacks, without a note in the report', async () => {
    const file = record('dwarf');
    const opened = await openProfile(file);
    expect(wholeShare(opened)).toBeGreaterThanOrEqual(0.99);
    const { stdout } = perfTs(['report', '-i', file]);
    expect(stdout).not.toContain('stacks lack callers');
    const names = new Set(opened.profile.strings);
    for (const name of ['_start', 'compare', 'recurse', 'on_alarm', '__restore_rt']) {
      expect(names).toContain(name);
    }
  });

  it.skipIf(findPerf() === null)('stack dumps are unwound as by perf', () => {
    const file = record('dwarf');
    const args = ['script', '-i', file, '--ns', '--no-inline', '-F', 'time,ip,sym'];
    const theirs = stacksOf(execFileSync('perf', args, { encoding: 'utf8', maxBuffer: 2 ** 28 }));
    const ours = scriptOf(file);
    // Addresses of user frames are relative to the file in perf 6.1: names are compared.
    const names = (frames: readonly string[]) => frames.map((frame) => frame.split(' ')[1] ?? '');
    const different: object[] = [];
    for (const [time, frames] of ours) {
      const their = names(theirs.get(time) ?? []);
      const our = names(frames);
      // perf looks for the name of the frame that returns from a signal in front of its first byte.
      // It gets no further where the program is in the system call that does so; we do.
      const isEqual = their.every((name, i) => name === our[i] || our[i] === '__restore_rt');
      const isWhole = our.length === their.length || our[their.length - 1] === '__restore_rt';
      if (!isEqual || !isWhole) different.push({ time, our, their });
    }
    expect(ours.size).toBe(theirs.size);
    const examples = JSON.stringify(different.slice(0, 3), null, 1);
    expect(different.length, examples).toBeLessThan(0.01 * ours.size);
  });

  it('stack dumps that are too short are marked, counted and explained', async () => {
    const file = record('dwarf,256');
    const opened = await openProfile(file);
    const { completeness, profile } = opened;
    expect(wholeShare(opened)).toBeLessThan(0.5);
    expect(completeness?.cut[0]?.reason).toBe('stack copy too short');
    const folded = opened.export('folded', { weight: 'samples' });
    const lines = folded.trim().split('\n');
    const marked = lines.filter((line) => line.split(';')[1] === '[truncated]');
    const count = (some: readonly string[]) =>
      some.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    expect(count(lines)).toBe(profile.samples.length);
    expect(count(marked)).toBe(profile.samples.length - (completeness?.complete ?? 0));
    const { stdout } = perfTs(['report', '-i', file]);
    expect(stdout).toMatch(
      /# trust: .* of the stacks lack callers: .* as stack copy too short \(.*--call-graph dwarf,65528 /,
    );
    const json = JSON.parse(perfTs(['report', '-i', file, '--json']).stdout);
    expect(json.completeness.complete).toBe(completeness?.complete);
  });

  it('inject --drop-stacks keeps stack dumps as callchains', async () => {
    const file = record('dwarf');
    const dropped = join(scratch, 'dropped.data');
    expect(perfTs(['inject', '-i', file, '-o', dropped, '--drop-stacks']).status).toBe(0);
    expect(sampleTypeOf(dropped) & (PERF_SAMPLE.STACK_USER | PERF_SAMPLE.REGS_USER)).toBe(0);
    expect(statSync(dropped).size).toBeLessThan(statSync(file).size / 10);
    const names = (frames: readonly string[]) => frames.map((frame) => frame.split(' ')[1]);
    const [before, after] = [scriptOf(file), scriptOf(dropped)];
    expect([...after.keys()]).toEqual([...before.keys()]);
    for (const [time, frames] of before)
      expect(names(after.get(time) ?? [])).toEqual(names(frames));
    expect(wholeShare(await openProfile(dropped))).toBeGreaterThanOrEqual(0.99);
  });

  // By frame pointer alone two samples in three lack it: the interpreter's handlers have no frame.
  const ways = process.arch === 'x64' ? ['dwarf', 'fp', 'fp,32'] : [];
  it.for(ways)('copies of the stack give the interpreted JavaScript function (%s)', (way) => {
    const script = join(scratch, 'interpreted.cjs');
    writeFileSync(
      script,
      `function inner(n) { let a = 0; for (let i = 0; i < n; i++) { a++; a = a | 0; } return a; }
       function outer(n) { let sum = 0; for (let i = 0; i < 10; i++) sum += inner(n); return sum; }
       for (let i = 0; i < 500; i++) outer(3000);`,
    );
    const file = join(scratch, 'interpreted.data');
    const flags = ['--no-opt', '--no-sparkplug', '--no-maglev'];
    const args = ['record', '-q', '-e', 'cpu-clock:u', '-F', '2000', '--call-graph', way];
    const node = [process.execPath, ...flags, script];
    expect(perfTs([...args, '-o', file, '--', ...node]).status).toBe(0);
    const stacks = [...scriptOf(file).values()].map((frames) => frames.join('\n'));
    const below = stacks.filter((frames) => frames.includes('outer'));
    expect(below.length).toBeGreaterThan(100);
    const found = below.filter((frames) => frames.includes('inner'));
    expect(found.length / below.length).toBeGreaterThan(0.95);
  });

  // Before a function has set up its frame, the frame pointer is its caller's: followed by it,
  // three of four samples in so short a function lack the caller.
  it.skipIf(process.arch !== 'x64')(
    'stack dumps give the caller of optimised JavaScript',
    async () => {
      const script = join(scratch, 'optimised.cjs');
      writeFileSync(
        script,
        `function inner(n) { return (n * 7) | 0; }
       function outer(n) { let sum = 0; for (let i = 0; i < n; i++) sum ^= inner(i); return sum; }
       for (let i = 0; i < 20000; i++) outer(10000);`,
      );
      const file = join(scratch, 'optimised.data');
      const prof = ['--perf-prof', '--perf-prof-unwinding-info'];
      const notInlined = ['--max-inlined-bytecode-size=0', '--max-inlined-bytecode-size-small=0'];
      const args = ['record', '-q', '-e', 'cpu-clock:u', '-F', '1000', '-k', 'mono'];
      const node = [process.execPath, ...prof, ...notInlined, script];
      args.push('--call-graph', 'dwarf,32768', '-o', file, '--', ...node);
      // The jitdump is written where Node runs.
      expect(perfTs(args, { cwd: scratch }).status).toBe(0);
      const stacks = [...scriptOf(file).values()];
      const inInner = stacks.filter(([leaf]) => /JS:o?\*'?inner /.test(leaf ?? ''));
      expect(inInner.length).toBeGreaterThan(100);
      const called = inInner.filter(([, caller]) => caller?.includes('outer'));
      expect(called.length / inInner.length).toBeGreaterThan(0.99);
      expect(wholeShare(await openProfile(file))).toBeGreaterThanOrEqual(0.99);
    },
  );

  it('--call-graph auto unwinds stack dumps at the end and joins frame pointers', async () => {
    const file = record('auto');
    expect(sampleTypeOf(file) & PERF_SAMPLE.STACK_USER).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(wholeShare(await openProfile(file))).toBeGreaterThanOrEqual(0.99);
  });
});
