import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeCpuProfile } from '../../../src/formats/export/cpuprofile.ts';
import { writeFirefox } from '../../../src/formats/export/firefox.ts';
import { writePprof } from '../../../src/formats/export/pprof.ts';
import { SWITCH_STATE } from '../../../src/formats/export/recording-marks.ts';
import type { EventIndex, Profile, Weights } from '../../../src/profile/types.ts';
import { CHROMIUM } from '../../browser/browser.ts';
import { HOSTILE_NAMES } from '../../helpers/hostile-names.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';
import { collect } from '../../helpers/round-trip.ts';
import { withScripts } from '../../helpers/with-scripts.ts';

// Independent readers of the formats: what they show must be what went in.

const PROFILER_CLI = fileURLToPath(
  new URL(
    '../../../node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js',
    import.meta.url,
  ),
);
const hasGo = spawnSync('go', ['tool', '-n', 'pprof']).status === 0;

const PROFILE: Profile = withScripts(
  profileFromText(
    `
    comm    node                                      node  node                    sh
    tid     10                                        10    10                      11
    period  40                                        30    20                      10
            main                                      main  main                    main
            work                                      work  read@[kernel.kallsyms]
            JS:*fib /srv/fib.js:3:13@[JIT] tid 10
  `,
    {},
    [{ event: 0 as EventIndex, lostRecords: 5, lostSamples: 5 }],
  ),
);

/** 400 events were lost before the third sample. */
const WEIGHTS: Weights = {
  kind: 'events',
  unit: 'events',
  values: new Float64Array(PROFILE.samples.periodEvents),
  lostBefore: Float64Array.of(0, 0, 400, 0),
};

function pprofFile(profile: Profile, weights: Weights): Buffer {
  const pieces: Uint8Array[] = [];
  writePprof(profile, weights, {}, (bytes) => pieces.push(bytes));
  return gzipSync(Buffer.concat(pieces));
}

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'perf-ts-viewers-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** How often a daemon that starts is asked: for minutes. */
const MOST_QUESTIONS = 500;

describe.skipIf(!existsSync(PROFILER_CLI))("Mozilla's loader", () => {
  /** Where its daemon is found: each profile has one of its own, the others may still be ending. */
  const sessions: string[] = [];
  const query = (...args: string[]) =>
    execFileSync(process.execPath, [PROFILER_CLI, ...args], {
      encoding: 'utf8',
      env: {
        ...process.env,
        PROFILER_CLI_SESSION_DIR: sessions.at(-1),
        PROFILER_CLI_NO_SYMBOLICATE: '1',
      },
    });
  const load = (text: string) => {
    const path = join(directory, 'profile.json');
    writeFileSync(path, text);
    sessions.push(mkdtempSync(join(directory, 's-')));
    try {
      query('load', path);
    } catch (error) {
      // It waits half a second for its daemon, which goes on starting.
      if (!String(error).includes('most likely still starting')) throw error;
      for (let asked = 0; !answers('status'); asked++) if (asked === MOST_QUESTIONS) throw error;
    }
  };
  const answers = (...args: string[]): boolean => {
    try {
      return query(...args) !== '';
    } catch {
      return false;
    }
  };
  afterAll(() => {
    for (; sessions.length > 0; sessions.pop()) query('stop', '--all');
  });

  test("Mozilla's loader finds the same tree, weights and markers", () => {
    const switches = {
      length: 2,
      pid: Int32Array.of(10, 10),
      tid: Int32Array.of(10, 10),
      cpu: Int32Array.of(0, 0),
      timeNs: Float64Array.of(0.5e6, 0.75e6),
      state: Uint8Array.of(SWITCH_STATE.PREEMPTED, SWITCH_STATE.IN),
    };
    const marks = {
      losses: [{ event: 0, cpu: 0, timeNs: 2e6, lost: 5 }],
      throttles: [{ event: 0, stream: -1, startNs: 1e6, endNs: 2e6 }],
      reRamps: [],
      switches,
    };
    load(collect((write) => writeFirefox(PROFILE, WEIGHTS, { marks }, write)));
    const { threads } = JSON.parse(query('thread', 'list', '--json'));
    const drawn = threads.map(({ name, pid, tid }: Record<string, unknown>) => [name, pid, tid]);
    expect(drawn.toSorted()).toEqual([
      ['node (cycles, events)', '10', 10],
      ['recording', 'recording', 'recording'],
      ['sh (cycles, events)', '11', 11],
    ]);
    const top = query('thread', 'samples-top-down', '--thread', 't-0', '--json');
    const { weightType, regularCallTree } = JSON.parse(top);
    expect(weightType).toBe('samples');
    expect(drawTree(regularCallTree)).toEqual([
      '[lost] 400 400',
      'app!main 90 0',
      '  app!work 70 30',
      '    [JIT] tid 10!fib /srv/fib.js:3 40 40',
      '  [kernel.kallsyms]!read 20 20',
    ]);
    const list = JSON.parse(query('profile', 'markers', '--limit', '0', '--json'));
    const markers = JSON.stringify(list);
    for (const name of ['samples lost', 'throttled', 'off CPU']) expect(markers).toContain(name);
  });

  test("Mozilla's loader accepts hostile names", () => {
    const columns = HOSTILE_NAMES.filter((name) => name.length < 1000);
    const strings = PROFILE.strings.map((text, i) => columns[i] ?? text);
    const hostile: Profile = {
      ...PROFILE,
      strings,
      threads: PROFILE.threads.map((thread, i) => ({ ...thread, comm: columns[i] })),
    };
    load(collect((write) => writeFirefox(hostile, WEIGHTS, {}, write)));
    expect(JSON.parse(query('thread', 'list', '--json')).threads).toHaveLength(2);
  });
});

type CallNode = {
  readonly nameWithLibrary: string;
  readonly totalSamples: number;
  readonly selfSamples: number;
  readonly children?: readonly CallNode[];
};

function drawTree({ children = [] }: CallNode, indent = ''): string[] {
  return children.flatMap((child) => [
    `${indent}${child.nameWithLibrary} ${child.totalSamples} ${child.selfSamples}`,
    ...drawTree(child, `${indent}  `),
  ]);
}

describe.skipIf(!hasGo)('go tool pprof', () => {
  test('go tool pprof finds the same functions and weights', () => {
    const path = join(directory, 'profile.pb.gz');
    writeFileSync(path, pprofFile(PROFILE, WEIGHTS));
    const pprof = (...flags: string[]) =>
      execFileSync('go', ['tool', 'pprof', '-symbolize=none', '-nodefraction=0', ...flags, path], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    const rows = pprof('-top')
      .split('\n')
      .flatMap((line) => /^\s*(\d+)\S*\s+\S+%\s+\S+%\s+(\d+)\S*\s+\S+%\s+(.*)$/.exec(line) ?? [])
      .filter((_, i) => i % 4 !== 0);
    const drawn = [];
    for (let i = 0; i < rows.length; i += 3) drawn.push(rows.slice(i, i + 3).join(' '));
    expect(drawn.toSorted()).toEqual([
      '10 100 main',
      '20 20 read',
      '30 70 work',
      '40 40 fib /srv/fib.js:3',
      '400 400 [lost]',
    ]);
    // CPU 0 is there: Go's reader drops numeric labels that are 0.
    expect(pprof('-tags')).toMatch(/cpu: Total 500\b/);
    expect(pprof('-raw')).toMatch(/samples\/count cycles\/events\[dflt\]/);
  });
});

describe.skipIf(CHROMIUM === undefined)('speedscope', () => {
  /** The text of its page with the file, once `awaited` is in it. */
  const open = async (name: string, file: Buffer, awaited: string): Promise<string> => {
    const release = join(
      dirname(createRequire(import.meta.url).resolve('speedscope/package.json')),
      'dist/release',
    );
    const browser = await chromium.launch({
      executablePath: CHROMIUM as string,
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
    });
    try {
      const page = await browser.newPage();
      const script = join(directory, 'load.js');
      const base64 = file.toString('base64');
      writeFileSync(script, `speedscope.loadFileFromBase64('${name}', '${base64}')`);
      const url = `${pathToFileURL(join(release, 'index.html')).href}#view=sandwich&localProfilePath=${script}`;
      await page.goto(url);
      const text = () => page.locator('body').innerText();
      await expect.poll(text).toContain(awaited);
      return await text();
    } finally {
      await browser.close();
    }
  };

  test('speedscope opens the pprof file', async () => {
    const text = await open('profile.pb.gz', pprofFile(PROFILE, WEIGHTS), 'fib.js:3');
    for (const name of ['main', 'work', 'read', '[lost]']) expect(text).toContain(name);
    expect(text).toContain('400 (80%)');
  });

  test('speedscope opens the .cpuprofile, with the weights that it was given', async () => {
    const file = collect((write) => writeCpuProfile(PROFILE, WEIGHTS, {}, write));
    const text = await open('p.cpuprofile', Buffer.from(file), 'fib');
    for (const name of ['main', 'work', 'read', '[lost]']) expect(text).toContain(name);
    // Microseconds stand for events: 400 of 490 in the thread.
    expect(text).toMatch(/400\.00µs \(82%\)/);
  });
});
