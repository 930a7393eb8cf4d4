import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CLI, findPerf, perfTs, scratchDirectory } from '../../helpers/cli.ts';
import { builtRecordings } from '../../helpers/recordings.ts';

const directory = scratchDirectory();
const input = join(directory, 'in.data');
const output = join(directory, 'out.data');
const perf = findPerf();

beforeAll(() => {
  const [, bytes] = builtRecordings().find(([name]) => name === 'little-endian file')!;
  writeFileSync(input, bytes);
});

describe('perf-ts inject', () => {
  it('inject writes the selected part and reports its size', () => {
    const all = perfTs(['inject', input, '-o', output]);
    expect(all.status).toBe(0);
    expect(all.stdout).toBe('');
    expect(all.stderr).toMatch(/^perf-ts: 60 of 60 samples, [\d ]+ bytes in, [\d ]+ bytes out\n$/);
    const part = perfTs(['inject', input, '-o', output, '--time', '0.000000110,0.000000119']);
    expect(part.stderr).toMatch(/^perf-ts: 10 of 60 samples/);
  });

  it('inject --json reports the changes', () => {
    const { stderr } = perfTs(['inject', input, '-o', output, '--tid', '99', '--json']);
    expect(JSON.parse(stderr)).toMatchObject({ samples: 60, samplesKept: 0, truncatedAt: null });
  });

  it('inject from a pipe to a pipe keeps the records', () => {
    const piped = execFileSync(process.execPath, [CLI, 'inject', '-', '-o', '-'], {
      input: readFileSync(input),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    writeFileSync(join(directory, 'out.pipe'), piped);
    const samples = (path: string) => perfTs(['script', '--samples', path]).stdout;
    expect(samples(join(directory, 'out.pipe'))).toBe(samples(input));
    expect(samples(input).split('\n').length).toBeGreaterThan(60);
  });

  it('inject may overwrite its input', () => {
    const copy = join(directory, 'copy.data');
    writeFileSync(copy, readFileSync(input));
    expect(perfTs(['inject', copy, '-o', copy]).status).toBe(0);
    expect(perfTs(['info', copy]).status).toBe(0);
  });

  it.each([
    [['--time', 'x'], '--time x: x is not a time in seconds'],
    [['--time', '2,1'], '--time 2,1: it ends before it starts'],
    [['--tid', 'x'], '--tid x: expected whole numbers'],
    [['--salt', 'x'], '--salt goes with --anonymize'],
    [['-b', '--remove-build-ids'], '-b and --remove-build-ids exclude each other'],
  ])('inject refuses %j', (options, message) => {
    const { status, stderr } = perfTs(['inject', input, '-o', output, ...options]);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });

  it('a failed inject leaves the earlier output in place', () => {
    const kept = join(directory, 'kept.data');
    writeFileSync(kept, 'before');
    const text = join(directory, 'text');
    writeFileSync(text, 'hello');
    expect(perfTs(['inject', text, '-o', kept]).status).toBe(125);
    expect(readFileSync(kept, 'utf8')).toBe('before');
  });

  it.skipIf(perf === null)('perf reads the output of inject like its input', () => {
    perfTs(['inject', input, '-o', output]);
    const script = (path: string) =>
      spawnSync(perf as string, ['script', '--ns', '-i', path], { encoding: 'utf8' }).stdout;
    expect(script(output)).toBe(script(input));
    expect(script(input)).not.toBe('');
  });
});

describe('texts of other tools', () => {
  it('texts of other tools are reported and exported; the head lists what they lack', () => {
    const folded = join(directory, 'out.folded');
    writeFileSync(folded, 'app;main;work 3\napp;main 1\n');
    const report = perfTs(['report', folded]).stdout;
    expect(report).toContain('# note: read from folded stacks: event, times, threads');
    expect(report).toMatch(/75\.00%.* work/);
    expect(perfTs(['export', folded, '--format', 'folded', '-o', '-']).stdout).toBe(
      'app;main 1\napp;main;work 3\n',
    );
  });

  it('texts of other tools are read from standard input', () => {
    const script = 'app 7 1.000001: 5 cycles: \n\t 1 work (/app)\n\t 2 main (/app)\n';
    const { stdout } = perfTs(['export', '-', '--format', 'folded', '-o', '-'], { input: script });
    expect(stdout).toBe('app;main;work 5\n');
  });
});
