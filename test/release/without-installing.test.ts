// The packed package by npx, of an ordinary user with an empty home: as a file, a folder, and from a web server. And
// what npm has to complain about before it publishes it.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, createReadStream, existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLI, scratchDirectory } from '../helpers/cli.ts';
import { describeLiveAsUser } from '../helpers/live.ts';
import { AS_NOBODY, NOBODY } from '../helpers/nobody.ts';

const installed = join(CLI, '../../..');
const OF_NETWORK = /^(?:npm_config_registry$|https?_proxy$|no_proxy$|NODE_EXTRA_CA_CERTS$)/i;

describeLiveAsUser('the package without an installation', () => {
  const folder = scratchDirectory();
  const home = scratchDirectory();
  const isRoot = process.getuid?.() === 0;
  const network = Object.entries(process.env).filter(([name]) => OF_NETWORK.test(name));
  const env = { ...Object.fromEntries(network), PATH: process.env.PATH, HOME: home };
  let tarball = '';
  let server: Server;

  beforeAll(async () => {
    const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
    const packed = spawnSync('npm', words, { cwd: installed, encoding: 'utf8' });
    tarball = join(folder, packed.stdout.trim());
    // npx of a folder links it, and makes its program executable: it is the user's own, with what it needs beside it.
    cpSync(join(installed, '..'), join(folder, 'node_modules'), { recursive: true });
    if (isRoot) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, home, folder]);
    server = createServer((_request, response) => createReadStream(tarball).pipe(response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  it.each([
    ['a file', () => `file:${tarball}`],
    ['a folder', () => join(folder, 'node_modules/perf-ts')],
    ['an address', () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/perf-ts.tgz`],
  ])('npx records from %s', async (name, spec) => {
    const record = ['record', '-q', '-o', `${name}.data`, '--', 'node', '-e', '0'];
    const words = [...(isRoot ? AS_NOBODY : []), 'npx', '--yes', spec(), ...record];
    const npx = spawn(words[0], words.slice(1), { cwd: home, env, stdio: ['ignore', 1, 'pipe'] });
    let stderr = '';
    npx.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const [status] = await once(npx, 'close');
    expect(status, stderr).toBe(0);
    expect(existsSync(join(home, `${name}.data`))).toBe(true);
  });

  it('npm publish has nothing to complain about but that nobody is logged in', () => {
    const words = ['publish', tarball, '--dry-run', '--offline', '--json'];
    const { status, stderr } = spawnSync('npm', words, { cwd: folder, env, encoding: 'utf8' });
    const complaints = stderr.split('\n').filter((line) => /^npm (?:warn|error)/i.test(line));
    expect(complaints.filter((line) => !line.includes('requires you to be logged in'))).toEqual([]);
    expect(status).toBe(0);
  });
});
