// A server is started, waited for, put under load and ended with its recording.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { isAlive, until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const data = join(scratch, 'load.data');
/** Listens on a free port, which it writes down; each answer is some 20 ms of work. */
const server = join(scratch, 'server.cjs');
writeFileSync(
  server,
  `const { writeFileSync } = require('node:fs');
   const work = () => { let s = 0; for (let i = 0; i < 4e6; i++) s += Math.sqrt(i) % 3; return s; };
   const server = require('node:http').createServer((_, response) => response.end(String(work())));
   server.listen(Number(process.argv[2]), '127.0.0.1', () => console.error('server', process.pid));`,
);
const load = join(scratch, 'load.cjs');
writeFileSync(
  load,
  `(async () => {
     for (let i = 0; i < 25; i++) await (await fetch(process.argv[2])).text();
   })();`,
);

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => probe.once('listening', done));
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}

const record = (options: readonly string[], command: readonly string[]) =>
  perfTs(['record', '-F', '999', '-o', data, ...options, '--', ...command]);

describeLive('record --ready, --load and --until-idle', () => {
  it('samples a server from its first answer to the end of the load, and ends it', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`;
    const run = record(
      ['--ready', url, '--load', `node ${load} ${url}; exit 5`],
      // The server is a grandchild: all that the command started is ended.
      ['sh', '-c', `node ${server} ${new URL(url).port}; true`],
    );
    expect(run.stderr).toContain(`${url} answers`);
    expect(run.stderr).toContain('the load has ended (status 5)');
    expect(run.status).toBe(5);
    expect(infoOf(data).records.SAMPLE).toBeGreaterThan(50);
    const pid = Number(/server (\d+)/.exec(run.stderr)?.[1]);
    await until(() => !isAlive(pid));
  });

  it('--load reports a server that does not answer in time, and one that ends', async () => {
    const port = String(await freePort());
    const late = record(['--ready', port, '--ready-timeout', '0.5'], ['sleep', '600']);
    expect(late.status).toBe(125);
    expect(late.stderr).toContain(`--ready ${port}: no answer within 0.5 s`);
    const gone = record(['--ready', port, '--load', 'true'], ['false']);
    expect(gone.status).toBe(125);
    expect(gone.stderr).toContain('ended before it answered');
  });

  it('--load ends once the work of the command is over', () => {
    const busyThenIdle =
      'while (process.cpuUsage().user < 5e5) for (let i = 0; i < 1e5; i++); setInterval(() => {}, 1e6);';
    const run = record(['--until-idle=1'], ['node', '-e', busyThenIdle]);
    expect(run.stderr).toContain('idle for 1.0 s');
    expect(run.status).toBe(0);
    expect(infoOf(data).records.SAMPLE).toBeGreaterThan(10);
  });

  it('--load refuses options that do not go together', () => {
    expect(record(['--ready-timeout', '3'], ['true']).status).toBe(2);
    expect(record(['--ready', '80', '-D', '100'], ['true']).status).toBe(2);
    expect(perfTs(['record', '-a', '--until-idle']).status).toBe(2);
  });
});
