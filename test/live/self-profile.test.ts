// The built package in a process of its own: its thread is a file of `dist`.

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();

/** Runs a program, and returns what it prints as JSON; it has perf-ts, and an empty folder for temporary files. */
function run(body: string): unknown {
  const program = `
    import { readdirSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { profileSelf, startSelfProfile } from 'perf-ts';
    // Recursion: V8 neither inlines all of it nor replaces it on the stack.
    function spin(n) { return n < 2 ? n : spin(n - 1) + spin(n - 2); }
    const busy = setInterval(() => spin(20), 5);
    let result;
    ${body}
    clearInterval(busy);
    console.log(JSON.stringify({ result, left: readdirSync(tmpdir()) }));`;
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: projectRoot,
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: scratch, NODE_OPTIONS: '', VITEST: '' },
  });
  const { result, left } = JSON.parse(text);
  expect(left, 'no temporary file is left').toEqual([]);
  return result;
}

describeLive('a profile of the own process', () => {
  test('it has the functions of each thread in a thread of its own', () => {
    const threads = run(`
      const { Worker } = await import('node:worker_threads');
      const code = 'function inWorker(n) { return n < 2 ? n : inWorker(n - 1) + inWorker(n - 2); }' +
        'const turn = ({ parentPort }) => setInterval(() => parentPort.postMessage(inWorker(20)), 3);' +
        'import("node:worker_threads").then(turn);';
      const worker = new Worker(code, { eval: true });
      const running = await startSelfProfile({ format: 'speedscope' });
      // As many turns of both threads as have samples, however long they wait for a CPU.
      let turns = 0;
      await new Promise((resolve) => worker.on('message', () => ++turns === 300 && resolve()));
      const bytes = await running.stop();
      await worker.terminate();
      const { shared, profiles } = JSON.parse(Buffer.from(bytes));
      result = profiles.map(({ samples }) => {
        const names = new Set(samples.flat().map((frame) => shared.frames[frame].name));
        return ['spin', 'inWorker'].filter((name) => [...names].some((one) => one.startsWith(name + ' ')));
      });
    `) as string[][];
    const named = threads.filter((functions) => functions.length > 0);
    expect(named.toSorted()).toEqual([['inWorker'], ['spin']]);
  });

  test('the threads that profile, and the listing of code before the first sample, are not in it', () => {
    const texts = run(`
      const code = 'function inWorker(n) { return n < 2 ? n : inWorker(n - 1) + inWorker(n - 2); } setInterval(() => inWorker(20), 3);';
      const { Worker } = await import('node:worker_threads');
      const worker = new Worker(code, { eval: true });
      result = [];
      for (let time = 0; time < 2; time++) {
        result.push(Buffer.from(await profileSelf({ seconds: 1, format: 'folded' })).toString());
      }
      await worker.terminate();
    `) as string[];
    for (const text of texts) {
      expect(text).toMatch(/;spin /);
      // The worker is the program's: its own listing is a row of its own.
      const ours = text.split('\n').filter((line) => /dist\/bin|self-thread|^perf-ts/.test(line));
      expect(ours).toEqual([]);
    }
  });

  test('stop ends it, and so does a signal; what was sampled until then is there', () => {
    const lengths = run(`
      const running = await startSelfProfile({ format: 'cpuprofile' });
      await new Promise((resolve) => setTimeout(resolve, 200));
      const stopped = JSON.parse(Buffer.from(await running.stop()));
      const end = new AbortController();
      const signalled = startSelfProfile({ format: 'cpuprofile', signal: end.signal });
      const begun = await signalled;
      await new Promise((resolve) => setTimeout(resolve, 200));
      end.abort();
      const ended = JSON.parse(Buffer.from(await begun.finished));
      result = [stopped.samples.length, ended.samples.length];
    `) as number[];
    for (const samples of lengths) expect(samples).toBeGreaterThan(1);
  });

  test('disposing gives it up in every state, and never twice', () => {
    const names = run(`
      result = [];
      const running = await startSelfProfile({ format: 'pprof' });
      await running[Symbol.asyncDispose]();
      result.push(await running.finished.catch(({ name }) => name));
      await running[Symbol.asyncDispose]();
      const writing = await startSelfProfile({ format: 'pprof', seconds: 0.05 });
      await new Promise((resolve) => setTimeout(resolve, 60));
      await writing[Symbol.asyncDispose]();
      result.push(await writing.finished.then(() => 'AbortError', ({ name }) => name));
      const done = await startSelfProfile({ format: 'pprof', seconds: 0.05 });
      const { length } = await done.finished;
      await done[Symbol.asyncDispose]();
      result.push(length > 0);
    `);
    expect(names).toEqual(['AbortError', 'AbortError', true]);
  });

  test('an aborted signal fails as that of record does, and a misspelt option is refused', () => {
    const errors = run(`
      const refused = (options) => profileSelf(options).catch(({ name, code, hints }) => [name, code, hints ?? []]);
      result = [
        await refused({ format: 'pprof', signal: AbortSignal.abort() }),
        await refused({ format: 'pprof', seconds: 1, frequency: 99 }),
      ];
    `);
    expect(errors).toEqual([
      ['AbortError', 'ABORT_ERR', []],
      ['UsageError', 'ERR_INVALID_ARG_VALUE', ['did you mean freq?']],
    ]);
  });

  test('a refusal of the kernel or of the options is an error with its class and reason', () => {
    const errors = run(`
      const refused = (options) => startSelfProfile(options).catch(({ name, message }) => [name, message.includes('no-such-event')]);
      result = [
        await refused({ format: 'pprof', seconds: 1, events: ['no-such-event'] }),
        (await refused({ format: 'gif', seconds: 1 }))[0],
        await profileSelf({ format: 'pprof', seconds: 1, events: ['no-such-event'] }).catch(({ name }) => name),
      ];
    `);
    expect(errors).toEqual([['UsageError', true], 'UsageError', 'UsageError']);
  });
});
