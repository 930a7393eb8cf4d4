import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  cleanEnvironment,
  keepingNames,
  perfTs,
  projectRoot,
  scratchDirectory,
  startPerfTs,
} from '../../helpers/cli.ts';
import { until } from '../../helpers/tasks.ts';

const scratch = scratchDirectory();

/** A folder of caches, empty, with its environment. */
function emptyCache(variables: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(scratch, 'cache-'));
  return {
    own: join(home, 'perf-ts'),
    env: { ...keepingNames(), XDG_CACHE_HOME: home, ...variables },
  };
}

const codesIn = (own: string): string[] =>
  readdirSync(own)
    .filter((name) => name.startsWith('code-'))
    .map((name) => join(own, name));

describe('code that V8 has compiled', () => {
  const words = ['list', 'page-faults'];
  const plain = perfTs(words, { env: { ...cleanEnvironment(), PERF_TS_NO_CACHE: '1' } });

  it('compiled code is kept by the first run of a command and used by the next', () => {
    const { own, env } = emptyCache();
    expect(perfTs(words, { env })).toEqual(plain);
    const [file, ...others] = codesIn(own);
    expect(others).toEqual([]);
    const { ino } = statSync(file);
    expect(perfTs(words, { env })).toEqual(plain);
    // Code that is used is not written again.
    expect(statSync(file).ino).toBe(ino);
    expect(perfTs(['--help'], { env }).status).toBe(0);
    expect(codesIn(own)).toHaveLength(2);
  });

  it('kept code loads the package of the query engine, in the first run and in the next', () => {
    const { own, env } = emptyCache();
    const recording = join(scratch, 'stacks.folded');
    writeFileSync(recording, 'main;parse;read 5\nmain;write 3\n');
    const line = ['query', 'top', '--json', recording];
    const first = perfTs(line, { env });
    expect(codesIn(own)).toHaveLength(1);
    const { stdout, stderr } = perfTs(line, { env });
    expect({ stdout, stderr }).toEqual({ stdout: first.stdout, stderr: first.stderr });
    expect(stderr).toBe('');
    expect(stdout).toContain('perf-ts/query@1');
  });

  it('damaged compiled code is made anew', () => {
    const { own, env } = emptyCache();
    perfTs(words, { env });
    const [file] = codesIn(own);
    const whole = readFileSync(file);
    for (const damage of [
      (bytes: Buffer) => bytes.fill(0, 4096),
      (bytes: Buffer) => bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 64),
    ]) {
      const damaged = Buffer.from(whole);
      damage(damaged);
      writeFileSync(file, damaged);
      expect(perfTs(words, { env })).toEqual(plain);
      expect(readFileSync(file).equals(damaged)).toBe(false);
    }
  });

  it('compiled code is not used for another state of the program, in the same place and of the same length', () => {
    const { env } = emptyCache();
    const copy = mkdtempSync(join(scratch, 'package-'));
    for (const name of ['dist', 'build', 'package.json']) {
      cpSync(join(projectRoot, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'));
    const main = join(copy, 'dist/bin/main.js');
    const help = () =>
      spawnSync(process.execPath, [main, '--help'], { env, encoding: 'utf8' }).stdout;
    expect(help()).toContain('sampling profiler');
    expect(help()).toContain('sampling profiler');
    const program = join(copy, 'dist/bin/program.js');
    const text = readFileSync(program, 'utf8').replaceAll('sampling profiler', 'sampling PROFILER');
    writeFileSync(program, text);
    expect(help()).toContain('sampling PROFILER');
    expect(help()).toContain('sampling PROFILER');
  });

  it.each(['1', 'code'])('compiled code is not kept with PERF_TS_NO_CACHE=%s', (value) => {
    const { own, env } = emptyCache({ PERF_TS_NO_CACHE: value });
    expect(perfTs(words, { env })).toEqual(plain);
    expect(() => readdirSync(own)).toThrow('ENOENT');
  });

  it('compiled code of the thread that reads for view is kept as well, and used by the next', async () => {
    const { own, env } = emptyCache();
    const text = join(scratch, 'a.folded');
    writeFileSync(text, 'main;work 30\n');
    /** Serves until `isEnough`; the recording as the page gets it. */
    const view = async (isEnough: () => boolean): Promise<Buffer> => {
      const { child, ended } = startPerfTs(['view', text], { env });
      const [printed] = (await once(child.stdout!, 'data')) as [Buffer];
      const answer = await fetch(`${String(printed).trim()}profile/0`);
      const page = Buffer.from(await answer.arrayBuffer());
      await until(isEnough);
      child.kill('SIGINT');
      expect(await ended).toMatchObject({ status: 0, stderr: '' });
      return page;
    };
    const isThere = () => existsSync(own) && codesIn(own).length === 2;
    const page = await view(isThere);
    const inodes = () => codesIn(own).map((file) => statSync(file).ino);
    const kept = inodes();
    expect((await view(isThere)).equals(page)).toBe(true);
    expect(inodes()).toEqual(kept);
  });

  it('compiled code is not kept of a run that failed', () => {
    const { own, env } = emptyCache();
    expect(perfTs(['no-such-command'], { env }).status).not.toBe(0);
    expect(codesIn(own)).toEqual([]);
  });
});
