// Documents that --json prints of real recordings and counts, against the schemas of docs/reference/json.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { departures } from '../helpers/json-schema.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();
const data = join(scratch, 'perf.data');
/** A server of Node that answers itself, and works. */
const SCRIPT = `
const http = require('node:http');
performance.measure('begin');
const server = http.createServer((request, response) => response.end()).listen(0, () => {
  http.get({ port: server.address().port }, (response) => {
    response.resume();
    for (let i = 0; i < 3e8; i++);
    server.close();
    server.closeAllConnections();
  });
});`;
const WORK = ['--', process.execPath, '-e', SCRIPT];

function stdoutOf(words: readonly string[]): string {
  const { status, stdout } = perfTs(words);
  expect(status).toBe(0);
  return stdout;
}

describeLive('documents of --json', () => {
  it('record, with the counters of --stat', () => {
    const words = ['record', '-g', '-e', 'cpu-clock', '--stat', '-o', data, '--json', ...WORK];
    const { status, stderr } = perfTs(words);
    expect(status).toBe(0);
    expect(departures('record', `${stderr.trimEnd().split('\n').at(-1)}`)).toEqual([]);
  });

  it('stat, of a command, of repetitions and of the whole machine', () => {
    const stat = ['stat', '--json', '-o', '-', '-e', 'task-clock,page-faults,context-switches'];
    for (const words of [
      [...stat, '--', 'true'],
      [...stat, '-r', '3', '--', 'true'],
      [...stat, '-a', '--per-core', '--', 'true'],
    ])
      expect(departures('stat', stdoutOf(words))).toEqual([]);
  });

  it('stat -I, a line for each interval and one for the whole', () => {
    const words = ['stat', '--json', '-o', '-', '-e', 'task-clock', '-I', '50', ...WORK];
    const lines = stdoutOf(words).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    expect(departures('stat-interval', lines.slice(0, -1).join('\n'))).toEqual([]);
    expect(departures('stat', `${lines.at(-1)}`)).toEqual([]);
  });

  it('top, by functions and by threads', () => {
    const top = ['top', '--json', '-e', 'cpu-clock', '-d', '0.2'];
    expect(departures('top', stdoutOf([...top, ...WORK]))).toEqual([]);
    expect(departures('top', stdoutOf([...top, '-s', 'pid,comm', ...WORK]))).toEqual([]);
  });

  it('doctor --selftest', () => {
    const words = ['doctor', '--selftest', '--quick', '-e', 'page-faults', '--json'];
    expect(departures('doctor-selftest', perfTs(words).stdout)).toEqual([]);
  });

  it('report --by await', () => {
    const awaits = join(scratch, 'awaits.data');
    const script = `
const http = require('node:http');
const turn = () => new Promise(setImmediate);
const spin = async () => { await turn(); for (let i = 0; i < 1e7; i++); };
const server = http.createServer(async (request, response) => { await spin(); response.end(); });
server.listen(0, () => {
  let left = 40;
  const ask = () => left-- === 0 ? server.close() : http.get(
    { port: server.address().port, agent: false }, (response) => response.resume().on('end', ask));
  ask();
});`;
    const words = ['record', '-q', '--async-stacks', '-o', awaits, '--', process.execPath];
    stdoutOf([...words, '-e', script]);
    const document = stdoutOf(['report', '--by', 'await', '--json', awaits]);
    expect(departures('awaits', document)).toEqual([]);
  });

  describe('of a recording of Node', () => {
    it.each([
      ['report', ['report', data]],
      ['report', ['report', '--sort', 'comm,cpu,sym', data]],
      ['annotate', ['annotate', data]],
      ['periods', ['periods', '--pairs', '4', data]],
      ['turns', ['turns', data]],
      ['marks', ['report', '--marks', data]],
      ['requests', ['report', '--by', 'request', data]],
      ['info', ['info', data]],
      ['evlist', ['evlist', data]],
      ['buildid-list', ['buildid-list', data]],
      ['diff', ['diff', data, data]],
      ['query', ['query', 'top', data]],
    ])('%s: %s', (name, words) => {
      expect(departures(name, stdoutOf([...words, '--json']))).toEqual([]);
    });

    it('script', () => {
      const text = stdoutOf(['script', '--json', data]);
      expect(departures('script', text, { further: true })).toEqual([]);
    });
  });
});
