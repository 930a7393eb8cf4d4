// An agent may be killed between any two calls: here one that delivers windows is, once before each call that changes its spool
// and once before each answer of its sink.

import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../../helpers/cli.ts';
import { startFakeSink } from '../../helpers/fake-sink.ts';
import { scratchDirectory } from '../../helpers/scratch.ts';

const WINDOWS = 2;
const PROFILES = 2;
/** Moments that are tried beside each other. */
const AT_ONCE = 4;

/**
 * Adds windows, says of each in a file that it has, and ends when all are sent. Kills itself before the call of
 * number `killAt` of those that change the spool.
 */
const DELIVERER = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const [root, spool, added, url, killAt, agent, windows, profiles] = process.argv.slice(1);
const { appendFileSync } = fs;
let calls = 0;
for (const name of ['openSync', 'writeSync', 'closeSync', 'renameSync', 'rmSync']) {
  const real = fs[name];
  fs[name] = (...words) => {
    if (++calls === Number(killAt)) process.kill(process.pid, 'SIGKILL');
    return real(...words);
  };
}
syncBuiltinESMExports();
const { Delivery } = await import(root + '/dist/tools/agent/delivery/delivery.js');
const { post, judgeAnswer } = await import(root + '/dist/tools/agent/sinks/http-post.js');
const { Connections } = await import(root + '/dist/tools/agent/sinks/connections.js');
const connections = new Connections({ caFile: null, certFile: null, keyFile: null });
calls = 0;
const sink = {
  name: 'fake', format: 'pprof', isRepeatable: false,
  requestsOf: ({ profiles }) => profiles.map((profile) => [profile]),
  send: async ([{ id }]) => {
    const to = new URL(url);
    const hop = connections.to(to);
    return judgeAnswer(await post({ hop, headers: {}, body: Buffer.from(id), timeoutMs: 60000 }), to);
  },
};
const delivery = new Delivery(sink, { directory: spool, maxBytes: 1 << 20, notify: () => {} });
for (let i = 0; i < Number(windows); i++) {
  const id = String(i).padStart(20, '0') + '-' + agent;
  const service = { name: 'shop', source: 'comm', attributes: {} };
  delivery.add({
    id, format: 'pprof', startNs: 1n, endNs: 2n,
    profiles: Array.from({ length: Number(profiles) }, (_, n) => ({ id: id + '.' + n, service, bytes: Buffer.alloc(9) })),
  });
  appendFileSync(added, id + '\\n');
}
while (delivery.queue.length > 0) await new Promise((resolve) => setImmediate(resolve));
console.log(delivery.counts.unconfirmed + ' ' + calls);
`;

type Run = {
  readonly child: ChildProcess;
  readonly ended: Promise<{ signal: NodeJS.Signals | null; stdout: string; stderr: string }>;
};

function deliver(place: string, url: string, killAt: number, agent: string, windows: number): Run {
  const words = [projectRoot, `${place}/spool`, `${place}/added`, url, killAt, agent];
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', DELIVERER, ...words.map(String), `${windows}`, `${PROFILES}`],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const ended = new Promise<Awaited<Run['ended']>>((resolve) => {
    child.once('close', (_, signal) => resolve({ signal, stdout, stderr }));
  });
  return { child, ended };
}

/** Kills an agent at one moment, lets the next one finish, and says what the sink has got. */
async function killOnce(killAt: number, killAtRequest: number) {
  const place = mkdtempSync(join(scratchDirectory(), 'killed-'));
  chmodSync(place, 0o700);
  let killed: ChildProcess | null = null;
  const fake = await startFakeSink((response) => {
    if (fake.received.length === killAtRequest) killed?.kill('SIGKILL');
    response.end('{}');
  });
  const first = deliver(place, fake.url, killAt, 'first', WINDOWS);
  killed = first.child;
  const { signal, stderr } = await first.ended;
  expect(stderr).toBe('');
  killed = null;
  const next = await deliver(place, fake.url, 0, 'next', 1).ended;
  expect(next.signal, next.stderr).toBe(null);
  const ids = fake.received.map(({ body }) => String(body));
  const wanted = readFileSync(`${place}/added`, 'utf8')
    .trimEnd()
    .split('\n')
    .flatMap((id) => Array.from({ length: PROFILES }, (_, n) => `${id}.${n}`));
  fake.close();
  return {
    wasKilled: signal === 'SIGKILL',
    twice: ids.filter((id, i) => ids.indexOf(id) !== i),
    missing: wanted.filter((id) => !ids.includes(id)),
    unconfirmed: Number(next.stdout.split(' ')[0]),
    left: readdirSync(`${place}/spool`).filter((name) => name !== 'progress'),
  };
}

it('an agent that is killed at any call sends no profile twice, and loses at most the one under way', async () => {
  let calls = 0;
  for (let isWhole = false; !isWhole; ) {
    // Each has a spool and a sink of its own; one after the other, sixty processes wait for a CPU by turns.
    const moments = Array.from({ length: AT_ONCE }, (_, i) => calls + i + 1);
    const runs = await Promise.all(moments.map((killAt) => killOnce(killAt, 0)));
    for (const [i, { wasKilled, twice, missing, unconfirmed, left }] of runs.entries()) {
      expect(twice, `killed at call ${moments[i]}`).toEqual([]);
      expect(left, `killed at call ${moments[i]}`).toEqual([]);
      // A request that was noted and did not go out any more.
      expect(missing.length, `killed at call ${moments[i]}: ${missing}`).toBeLessThanOrEqual(
        unconfirmed,
      );
      isWhole ||= !wasKilled;
      if (!isWhole) calls++;
    }
  }
  // Each window is written and removed, and each request is noted before it goes out.
  expect(calls + 1).toBeGreaterThan(WINDOWS * (4 + 1 + PROFILES * 4));
});

it.each(Array.from({ length: WINDOWS * PROFILES }, (_, i) => i + 1))(
  'an agent that is killed before the answer to request %d sends nothing twice',
  async (request) => {
    const { wasKilled, twice, missing, left } = await killOnce(0, request);
    expect([twice, missing, left]).toEqual([[], [], []]);
    // The last answer may be there before the signal.
    if (request < WINDOWS * PROFILES) expect(wasKilled).toBe(true);
  },
);
