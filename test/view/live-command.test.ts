import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { decodePageData } from '../../src/formats/export/page-data.ts';
import { infoOf, perfTs, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

const directory = scratchDirectory();

describe('record --view', () => {
  it('record --view starts nothing where the page can’t be served', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const file = join(directory, 'taken');
    const marker = join(directory, 'started');
    for (const [given, status, reason] of [
      [String(port), 125, 'it is in use'],
      ['http', 2, 'expected a number'],
    ] as const) {
      const args = ['record', '--view', '--port', given, '-o', file, '--', 'touch', marker];
      const outcome = perfTs(args);
      expect(outcome.status).toBe(status);
      expect(outcome.stdout).toBe('');
      expect(outcome.stderr).toContain(reason);
    }
    other.close();
    expect([file, marker].map((path) => existsSync(path))).toStrictEqual([false, false]);
  });
});

describeLive('the page of a recording', () => {
  it('record --view stays when the program has ended, until Ctrl-C, and the file is as ever', async () => {
    const file = join(directory, 'perf.data');
    // About a fifth of a second.
    const loop = 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done';
    const command = ['/bin/sh', '-c', loop];
    const record = startPerfTs(['record', '--view', '-o', file, '--', ...command]);
    const [printed] = (await once(record.child.stdout, 'data')) as [Buffer];
    const url = printed.toString().trim();
    // A page that follows: told of the end, after the last of the samples.
    const follow = await fetch(`${url}live?since=0`);
    const events = (await follow.text()).match(/event: \w+/g);
    expect(events?.at(-1)).toBe('event: end');
    const answer = await fetch(`${url}profile/0`);
    const { profile } = finish(decodePageData(new Uint8Array(await answer.arrayBuffer())));
    record.child.kill('SIGINT');
    expect((await record.ended).status).toBe(0);
    expect(profile.samples.length).toBe(infoOf(file).records.SAMPLE);
    expect(profile.samples.length).toBeGreaterThan(0);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('one SIGTERM ends the recording, and the page with it', async () => {
    const target = spawn('sleep', ['600']);
    try {
      const pid = String(target.pid);
      const live = startPerfTs(['view', '--live', '--no-open', '-p', pid]);
      const [printed] = (await once(live.child.stdout, 'data')) as [Buffer];
      const url = printed.toString().trim();
      const follow = await fetch(`${url}live?since=0`);
      live.child.kill('SIGTERM');
      expect((await live.ended).status).toBe(0);
      // The page is told before the server goes.
      expect(await follow.text()).toContain('event: end');
      await expect(fetch(url)).rejects.toThrow();
      expect(target.exitCode).toBeNull();
    } finally {
      target.kill('SIGKILL');
    }
  });
});
