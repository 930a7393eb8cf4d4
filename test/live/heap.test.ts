// Allocations by function in V8's heap, beside what a program knows that it allocates.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openProfile } from '../../src/read/open-profile.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLiveAsUser } from '../helpers/live.ts';
import { AS_NOBODY, canRecordAsNobody, openDirectory } from '../helpers/nobody.ts';

const scratch = scratchDirectory();
/** Each of the functions has a loop, and is called where V8 inlines none of them. */
const PROGRAM = `
import { isMainThread, Worker } from 'node:worker_threads';
globalThis.kept = [];
function sixty() { let n = 0; for (let i = 0; i < 600; i++) n += new Array(60).fill(i).length; return n; }
function thirty() { let n = 0; for (let i = 0; i < 300; i++) n += new Array(60).fill(i).length; return n; }
function ten() { let n = 0; for (let i = 0; i < 100; i++) n += new Array(60).fill(i).length; return n; }
function keep() { for (let i = 0; i < 100; i++) kept.push(new Array(60).fill(i)); return kept.length; }
function inWorker() { for (let i = 0; i < 40000; i++) kept.push(new Array(60).fill(i)); return kept.length; }
const all = isMainThread ? [sixty, thirty, ten, keep] : [inWorker];
if (isMainThread) new Worker(new URL(import.meta.url));
const rounds = isMainThread ? 400 : 1;
for (let i = 0; i < rounds; i++) for (const one of all) one();
`;
/** An array and its elements: V8 has words of 8 bytes. */
const ARRAY_BYTES = 32 + 16 + 60 * 8;
const KNOWN = { sixty: 240_000, thirty: 120_000, ten: 40_000, keep: 40_000, inWorker: 40_000 };

const program = join(scratch, 'allocates.mjs');
writeFileSync(program, PROGRAM);

async function record(memory: string, event: string, under: readonly string[] = []) {
  const file = join(openDirectory(scratch, event), 'heap.data');
  const words = ['record', '-q', '-o', file, memory, '-F99', '--', 'node', program];
  const { status } = perfTs(words, { under });
  expect(status).toBe(0);
  const opened = await openProfile(file);
  const { bySymbol, weight } = opened.report({ event });
  const shareOf = (name: string) => {
    const row = bySymbol.find(({ func }) => opened.nameOf(func).startsWith(`${name} `));
    return (row?.total ?? 0) / weight;
  };
  return { file, weight, shareOf };
}

describeLiveAsUser('the heap of V8', () => {
  it('allocations by function are what each function makes, in all threads', async () => {
    const { file, weight, shareOf } = await record('--memory', 'heap-allocated');
    const made = Object.values(KNOWN).reduce((sum, arrays) => sum + arrays, 0);
    // Some 970 samples: five standard deviations, and what Node allocates before.
    expect(weight / (made * ARRAY_BYTES)).toBeGreaterThan(0.84);
    expect(weight / (made * ARRAY_BYTES)).toBeLessThan(1.2);
    for (const [name, arrays] of Object.entries(KNOWN)) {
      expect(Math.abs(shareOf(name) - arrays / made), name).toBeLessThan(0.1);
    }
    const { stdout } = perfTs(['report', '-i', file, '-e', 'heap-allocated']);
    expect(stdout).toMatch(/heap-allocated: .* samples, [\d.]+ MB/);
    expect(stdout).toMatch(/self +95% interval +total +bytes +samples/);
    expect(stdout).toMatch(/^# garbage collection: \d+ pauses, .*; divided by bytes allocated/m);
  });

  it('functions have in the end what they keep', async () => {
    // Who may not look at the kernel sees the heap as well.
    const asNobody = canRecordAsNobody('/bin/true') ? AS_NOBODY : [];
    const { weight, shareOf } = await record('--memory=live', 'heap-live', asNobody);
    expect(shareOf('keep') + shareOf('inWorker')).toBeGreaterThan(0.7);
    expect(shareOf('sixty')).toBeLessThan(0.2);
    expect(weight).toBeGreaterThan(KNOWN.keep * ARRAY_BYTES * 0.9);
  });

  it('a program that samples its own heap reads what it reads without us, and a sentence reports what is missing', async () => {
    const own = join(scratch, 'own.mjs');
    writeFileSync(
      own,
      `import { Session } from 'node:inspector/promises';
       const session = new Session();
       session.connect();
       function churn() { let n = 0; for (let i = 0; i < 40000; i++) n += new Array(60).fill(i).length; return n; }
       await session.post('HeapProfiler.startSampling', { samplingInterval: 32768, includeObjectsCollectedByMinorGC: true });
       churn();
       await new Promise((done) => setTimeout(done, 600));
       churn();
       const { profile } = await session.post('HeapProfiler.stopSampling');
       const sizeOf = (node) => node.children.reduce((sum, child) => sum + sizeOf(child), node.selfSize);
       console.log(JSON.stringify([profile.samples.length, sizeOf(profile.head)]));`,
    );
    const file = join(scratch, 'own.data');
    const words = ['record', '-q', '--memory', '-F99', '-o', file, '--', 'node', own];
    const { status, stdout } = perfTs(words);
    expect(status).toBe(0);
    const [samples, bytes] = JSON.parse(stdout) as [number, number];
    // Some 1 250 samples of 42 MB of arrays; with our interval, or of the time since ours began anew, it were half at most.
    expect(samples).toBeGreaterThan(0.8 * ((80_000 * ARRAY_BYTES) / 32_768));
    expect(bytes).toBeGreaterThan(0.8 * 80_000 * ARRAY_BYTES);
    const { stderr } = perfTs(['report', '-i', file, '-e', 'heap-allocated']);
    expect(stderr).toContain('V8 sampled the heap of a thread for the program itself');
  });

  it('a running program is sampled while it is recorded, and has nothing of it afterwards', async () => {
    const server = join(scratch, 'server.cjs');
    writeFileSync(
      server,
      `const { Session } = require('node:inspector');
       function churn() { let n = 0; for (let i = 0; i < 20000; i++) n += new Array(60).fill(i).length; return n; }
       setInterval(churn, 5);
       process.on('message', () => {
         const session = new Session();
         session.connect();
         session.post('HeapProfiler.getSamplingProfile', (error) => {
           process.send({ isSampled: error === null, hasEmit: Object.hasOwn(process, 'emit') });
         });
       });
       process.send('ready');`,
    );
    const register = join(import.meta.dirname, '../../dist/register/preload.cjs');
    const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const;
    const child = spawn('node', ['--require', register, server], { stdio: [...stdio] });
    try {
      await once(child, 'message');
      const file = join(scratch, 'attached.data');
      const asked = ['record', '-q', '--memory', '-F99', '-o', file, '-p', `${child.pid}`];
      const { status } = perfTs([...asked, '--duration', '3']);
      expect(status).toBe(0);
      const opened = await openProfile(file);
      const { bySymbol, weight } = opened.report({ event: 'heap-allocated' });
      const row = bySymbol.find(({ func }) => opened.nameOf(func).startsWith('churn '));
      expect(row?.self).toBeGreaterThan(0.9 * weight);
      for (;;) {
        child.send('ask');
        const [answer] = await once(child, 'message');
        // The library learns that the recorder is gone when the event loop turns.
        if (!answer.isSampled) {
          expect(answer.hasEmit).toBe(false);
          break;
        }
      }
    } finally {
      child.kill('SIGKILL');
    }
  });
});
