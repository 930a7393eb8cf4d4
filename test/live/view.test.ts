import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { decodePageData } from '../../src/export/page-data.ts';
import { startPerfTs } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

const temporary = () =>
  readdirSync(tmpdir()).filter((name) => /^perf-ts-[A-Za-z0-9]{6}$/.test(name));

describeLive('view --live', () => {
  it('serves what is recorded while it grows, ends with Ctrl-C and leaves nothing', async () => {
    const before = temporary();
    const target = spawn(process.execPath, ['-e', 'for (;;) Math.sqrt(2)'], { stdio: 'ignore' });
    const view = startPerfTs(['view', '--live', '-e', 'cpu-clock:u', '-p', String(target.pid)]);
    const [printed] = (await once(view.child.stdout!, 'data')) as [Buffer];
    const url = printed.toString().trim();
    // As a page does: the recording is read anew while somebody follows it.
    const following = new AbortController();
    onTestFinished(() => {
      following.abort();
      target.kill();
      view.child.kill('SIGKILL');
    });
    void fetch(`${url}live?since=0`, { signal: following.signal }).catch(() => {});
    const samples = async () => {
      const answer = await fetch(`${url}profile/0`);
      return decodePageData(new Uint8Array(await answer.arrayBuffer())).profile.samples.length;
    };
    const first = await samples();
    await expect.poll(samples, { timeout: 60_000, interval: 200 }).toBeGreaterThan(first + 100);
    view.child.kill('SIGINT');
    await expect.poll(view.stderr, { timeout: 60_000 }).toContain('until Ctrl-C');
    expect(await samples()).toBeGreaterThan(first);
    view.child.kill('SIGINT');
    expect((await view.ended).status).toBe(0);
    target.kill();
    expect(temporary().filter((name) => !before.includes(name))).toStrictEqual([]);
  });
});
