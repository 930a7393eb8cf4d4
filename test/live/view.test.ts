import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { decodePageData } from '../../src/formats/export/page-data.ts';
import { cleanEnvironment, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { engineFile } from '../helpers/engine.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();

/** Starts perf-ts with a live page, follows that as a browser does, and returns what the page is given. */
async function followPage(
  target: ChildProcess,
  words: readonly string[],
  options: Parameters<typeof startPerfTs>[1],
) {
  const view = startPerfTs([...words], options);
  const following = new AbortController();
  onTestFinished(() => {
    following.abort();
    target.kill();
    view.child.kill('SIGKILL');
  });
  const [printed] = (await once(view.child.stdout, 'data')) as [Buffer];
  const url = printed.toString().trim();
  // The recording is read anew while somebody follows it.
  void fetch(`${url}live?since=0`, { signal: following.signal }).catch(() => {});
  const page = async () => {
    const answer = await fetch(`${url}profile/0`);
    return finish(decodePageData(new Uint8Array(await answer.arrayBuffer())));
  };
  return { view, page };
}

describeLive('view --live', () => {
  it('view serves what is recorded while it grows, ends with Ctrl-C and leaves nothing', async () => {
    // Others make temporary files, too.
    const temporary = mkdtempSync(join(scratch, 'tmp-'));
    const env = { ...cleanEnvironment(), TMPDIR: temporary };
    // The engine's C++ is busy all the time: a loop of JavaScript alone is soon code without names.
    const work = 'for (;;) JSON.parse("[3, 2, 1]")';
    const target = spawn(process.execPath, ['-e', work], { stdio: 'ignore' });
    const reading = ['--weight', 'samples', '--js-raw'];
    const args = ['view', '--live', '-e', 'cpu-clock:u', ...reading, '-p', String(target.pid)];
    const { view, page } = await followPage(target, args, { env });
    const samples = async () => (await page()).profile.samples.length;
    const first = await samples();
    await expect.poll(samples, { interval: 200 }).toBeGreaterThan(first + 100);
    view.child.kill('SIGINT');
    await expect.poll(view.stderr).toContain('until Ctrl-C');
    expect(await samples()).toBeGreaterThan(first);
    const { firstWeight, profile } = await page();
    expect(firstWeight).toBe('samples');
    // Functions of the engine, or where its file is stripped, the file.
    const ofEngine = new RegExp(`^v8::internal::|^\\[?${basename(engineFile())}`);
    expect(profile.strings.filter((name) => ofEngine.test(name))).not.toEqual([]);
    view.child.kill('SIGINT');
    const { status, stderr } = await view.ended;
    expect(status, stderr).toBe(0);
    target.kill();
    expect(readdirSync(temporary)).toStrictEqual([]);
  });

  it('the page of a running Node has the names of its JavaScript, while it is recorded and afterwards', async () => {
    const work =
      'function busyWork() { let x = 0; for (let i = 0; i < 1e6; i++) x += i % 7; return x; }';
    const program = `${work}; setInterval(busyWork, 1)`;
    const target = spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
    const output = join(scratch, 'attached.data');
    const args = ['record', '--view', '--no-open', '--attach-js', '-p', String(target.pid)];
    const reading = [...args, '-e', 'cpu-clock', '-o', output];
    const { view, page } = await followPage(target, reading, {});
    const isNamed = async () =>
      (await page()).profile.strings.some((name) => name.includes('busyWork '));
    await expect.poll(isNamed, { interval: 200 }).toBe(true);
    view.child.kill('SIGINT');
    await expect.poll(view.stderr).toContain('until Ctrl-C');
    expect(view.stderr()).not.toContain('no longer exists');
    expect(await isNamed()).toBe(true);
    view.child.kill('SIGINT');
    await view.ended;
  });
});
