// Code that ran for each route, against what the program knows that its routes do.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openProfile } from '../../src/index.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();

/**
 * All routes burn in one function: /two for twice as many rounds as /one, in their handlers; /later as many as /one, behind
 * an await. Eight requests are open at a time, by a client in a process of its own.
 */
const PROGRAM = `
const http = require('node:http');
const { spawn } = require('node:child_process');
if (process.argv[2] !== undefined) {
  const paths = ['/one', '/two', '/later'];
  const agent = new http.Agent({ keepAlive: true });
  let left = 600;
  let open = 0;
  const ask = () => {
    if (left === 0) return;
    const path = paths[left-- % 3];
    open++;
    http.get({ port: process.argv[2], path, agent }, (response) => response.resume().on('end', () => {
      if (--open === 0 && left === 0) process.exit();
      ask();
    }));
  };
  for (let i = 0; i < 8; i++) ask();
} else {
  const burn = (rounds) => { let x = 0; for (let i = 0; i < rounds; i++) x = (x * 31 + i) | 0; return x; };
  const N = 1e6;
  const server = http.createServer(async (request, response) => {
    if (request.url === '/later') await new Promise((resolve) => setTimeout(resolve, 1));
    response.end(String(burn(request.url === '/two' ? 2 * N : N)));
  }).listen(0, () => {
    spawn(process.execPath, [__filename, String(server.address().port)], { stdio: 'inherit' })
      .on('exit', () => process.exit());
  });
}
`;

describeLive('requests by route', () => {
  it('each route has what ran in its handler, and what cannot be told has rows of its own', async () => {
    const recording = join(scratch, 'requests.data');
    const program = join(scratch, 'routes.cjs');
    writeFileSync(program, PROGRAM);
    perfTs(['record', '-q', '-o', recording, '--', process.execPath, program]);
    const opened = await openProfile(recording);
    const report = opened.requests();
    if (report === null) throw new Error('no requests');
    const { routes, untold } = report;
    expect(routes.map(({ name, count }) => [name, count]).sort()).toEqual([
      ['GET /later', 200],
      ['GET /one', 200],
      ['GET /two', 200],
    ]);
    const inHandler = (path: string) =>
      routes.find(({ name }) => name === `GET ${path}`)?.inHandler ?? 0;
    const [one, two, later] = ['/one', '/two', '/later'].map(inHandler);
    expect(two / one).toBeGreaterThan(1.6);
    expect(two / one).toBeLessThan(2.5);
    // Its work comes behind the await.
    expect(later / one).toBeLessThan(0.1);
    const rows = [...routes, ...untold];
    expect(rows.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    const several = untold.find((row) => row.while === 'several routes')?.weight ?? 0;
    const put = routes.reduce((sum, { weight, inHandler: part }) => sum + weight - part, 0);
    expect((several + put) / one).toBeGreaterThan(0.6);
  });

  it('the command prints them, and a recording without any is refused', () => {
    const { stdout } = perfTs(['report', '--by', 'request', join(scratch, 'requests.data')]);
    expect(stdout).toMatch(/ GET \/two$/m);
    expect(stdout).toContain('(while requests of several routes were open)');
    const recording = join(scratch, 'none.data');
    perfTs(['record', '-o', recording, '--', 'true']);
    for (const table of [['--by', 'request'], ['--marks']]) {
      expect(perfTs(['report', ...table, recording]).status).toBe(125);
    }
  });
});
