import { spawnSync } from 'node:child_process';
import fs, {
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OpenProfileOptions } from '../../src/options/reading.ts';
import { type Reading, readOrRecall } from '../../src/read/kept-profile.ts';
import { readProfile } from '../../src/read/open-profile.ts';
import { AskedFiles } from '../../src/system/asked-files.ts';
import { type DrawnFunction, writeCodeRecording, writeProgram } from '../helpers/code-recording.ts';
import { compileC } from '../helpers/compile.ts';
import { NOBODY } from '../helpers/nobody.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const scratch = scratchDirectory();
const isRoot = process.geteuid?.() === 0;

const FUNCTIONS: readonly DrawnFunction[] = [
  ['work', [0x55, 0x48, 0xff, 0xcf, 0x5d, 0xc3]],
  ['leaf', [0x90, 0xc3]],
];
const OTHERS = FUNCTIONS.map(([name, code]): DrawnFunction => [`other_${name}`, code]);
const GROUP = join(import.meta.dirname, 'fixtures/arm64-group.data');

/** A program and a recording of it in a folder of their own, with a cache. */
function place() {
  const folder = mkdtempSync(join(scratch, 'place-'));
  const [app, file, home] = ['app', 'perf.data', 'cache'].map((name) => join(folder, name));
  mkdirSync(home, { mode: 0o700 });
  writeProgram(app, FUNCTIONS);
  const stack = [
    ['leaf', 1],
    ['work', 4],
  ] as const;
  writeCodeRecording(file, app, FUNCTIONS, [stack, stack.slice(1)]);
  return { folder, app, file, home, own: join(home, 'perf-ts') };
}

type Place = Pick<ReturnType<typeof place>, 'file' | 'home'>;

/** Long after all files here were made. */
const LATER = () => Date.now() + 3_600_000;

/** Reads the recording, or recalls it, as a run of perf-ts does. */
async function look({ file, home }: Place, options: OpenProfileOptions = {}, now = LATER) {
  let reads = 0;
  const read = () => {
    reads++;
    return readProfile(file, options);
  };
  const seams = { home, now, worthwhileMs: 0, later: (keep: () => void) => keep() };
  const reading = await readOrRecall(file, { cache: true, ...options }, read, seams);
  return { reading, isRead: reads === 1 };
}

const isReadAgain = async (...of: Parameters<typeof look>) => (await look(...of)).isRead;

/** All of it but the code of its functions. */
const tablesOf = ({ code: _, diagnostics, ...tables }: Reading) => ({
  ...tables,
  diagnostics: diagnostics.entries(),
});

const namesOf = ({ recorded: { funcs, strings } }: Reading) =>
  Array.from(funcs.name, (name) => strings[name]);

/** A profile of V8 of one function of `app.js`, which the map gives another name. */
function scriptPlace() {
  const { folder, home } = place();
  const file = join(folder, 'app.cpuprofile');
  const script = join(folder, 'app.js');
  const frame = (functionName: string, url: string) => ({
    ...{ functionName, url, scriptId: '1' },
    ...{ lineNumber: 0, columnNumber: 12 },
  });
  const nodes = [
    { id: 1, callFrame: frame('(root)', ''), hitCount: 0, children: [2] },
    { id: 2, callFrame: frame('b', `file://${script}`), hitCount: 2 },
  ];
  const samples = { startTime: 0, endTime: 2000, samples: [2, 2], timeDeltas: [1000, 1000] };
  writeFileSync(file, JSON.stringify({ nodes, ...samples }));
  writeFileSync(script, 'function  b () { return 1; }\n//# sourceMappingURL=app.js.map\n');
  const writeMap = (name: string) => {
    const map = { version: 3, sources: [`${name}.ts`], names: ['b'], mappings: 'AAAA,YAAYA' };
    writeFileSync(join(folder, 'app.js.map'), JSON.stringify(map));
  };
  return { file, home, writeMap };
}

describe('a profile that is kept between runs', () => {
  it.each<[string, () => Place]>([
    ['of a recording', place],
    ['of a recording of counters', () => ({ ...place(), file: GROUP })],
    ['of a profile of V8', scriptPlace],
  ])('the profile %s that an earlier run has kept is the one that was read', async (_, made) => {
    const here = made();
    const first = await look(here);
    const again = await look(here);
    expect([first.isRead, again.isRead]).toEqual([true, false]);
    expect(tablesOf(again.reading)).toStrictEqual(tablesOf(first.reading));
  });

  it('a recording that was written again, or touched, is read again', async () => {
    const here = place();
    await look(here);
    utimesSync(here.file, 1, 1);
    expect(await isReadAgain(here)).toBe(true);
    expect(await isReadAgain(here)).toBe(false);
    writeCodeRecording(here.file, here.app, FUNCTIONS, [[['leaf', 0]]]);
    const { reading } = await look(here);
    expect(reading.recorded.samples).toHaveLength(1);
  });

  it('a recording is read again where the program has other symbols', async () => {
    const here = place();
    await look(here);
    writeProgram(here.app, OTHERS);
    const { reading } = await look(here);
    expect(namesOf(reading)).toContain('other_leaf');
  });

  it('a recording is read again where a file appears that was missing', async () => {
    const here = place();
    await look(here);
    const archived = join(`${here.file}.symbols`, here.app);
    mkdirSync(join(archived, '..'), { recursive: true });
    writeProgram(archived, OTHERS);
    const { reading } = await look(here);
    expect(namesOf(reading)).toContain('other_leaf');
  });

  it('a recording is read again where a debug file appears, and where it goes', async () => {
    const here = place();
    const debug = join(here.folder, 'app.debug');
    writeFileSync(join(here.folder, 'app.c'), 'int main(void) { return 7; }');
    const built = compileC(join(here.folder, 'app.c'), ['-g', '-Wl,--build-id']);
    for (const words of [
      ['--only-keep-debug', built, debug],
      ['--strip-all', `--add-gnu-debuglink=${debug}`, built, here.app],
    ]) {
      expect(spawnSync('objcopy', words).status).toBe(0);
    }
    expect(await isReadAgain(here)).toBe(true);
    expect(await isReadAgain(here)).toBe(false);
    for (const change of [rmSync, () => writeFileSync(debug, '')]) {
      change(debug);
      expect(await isReadAgain(here)).toBe(true);
      expect(await isReadAgain(here)).toBe(false);
    }
  });

  it('a profile is read again where a source map appears, changes or goes', async () => {
    const here = scriptPlace();
    const seen: string[] = [];
    const maps = [null, 'first', 'second'];
    for (const name of maps) {
      if (name !== null) here.writeMap(name);
      // A map that is newer than the profile counts where its script is what ran.
      utimesSync(here.file, Date.now() / 1000, Date.now() / 1000 + 60);
      const { reading, isRead } = await look(here);
      expect(isRead).toBe(true);
      seen.push(namesOf(reading).join());
    }
    expect(new Set(seen).size).toBe(maps.length);
  });

  it('a recording is read again with other options, save the level of frames', async () => {
    const here = place();
    await look(here);
    expect(await isReadAgain(here, { frames: 'all' })).toBe(false);
    // A recording with stacks has lines unless told otherwise.
    expect(await isReadAgain(here, { lines: true })).toBe(false);
    for (const options of [{ lines: false }, { inline: false }, { symbols: false }] as const) {
      expect(await isReadAgain(here, options), JSON.stringify(options)).toBe(true);
      expect(await isReadAgain(here, options), JSON.stringify(options)).toBe(false);
    }
  });

  it('nothing is kept where the user names places of files', async () => {
    const here = place();
    await look(here, { debugDir: here.folder });
    expect(await isReadAgain(here, { debugDir: here.folder })).toBe(true);
    expect(await isReadAgain(here)).toBe(true);
  });

  it('nothing is kept of a directory of files, to which another may come', async () => {
    const here = place();
    const directory = join(here.folder, 'threads');
    mkdirSync(directory);
    copyFileSync(here.file, join(directory, 'data'));
    const threads = { ...here, file: directory };
    await look(threads);
    expect(await isReadAgain(threads)).toBe(true);
  });

  it('nothing is kept of files that may have changed within a tick of the clock', async () => {
    const here = place();
    await look(here, {}, Date.now);
    expect(await isReadAgain(here, {}, Date.now)).toBe(true);
  });

  it('nothing is kept where a file changed while it was used', async () => {
    const here = place();
    const read = async () => {
      const reading = await readProfile(here.file, {});
      copyFileSync(here.file, `${here.file}.copy`);
      writeCodeRecording(here.file, here.app, FUNCTIONS, [[['leaf', 0]]]);
      return reading;
    };
    const seams = {
      home: here.home,
      now: LATER,
      worthwhileMs: 0,
      later: (keep: () => void) => keep(),
    };
    await readOrRecall(here.file, { cache: true }, read, seams);
    expect(await isReadAgain(here)).toBe(true);
  });

  it('a damaged entry counts for nothing', async () => {
    const here = place();
    const { reading } = await look(here);
    const [name] = readdirSync(here.own).filter((each) => each.startsWith('profile-'));
    const entry = join(here.own, name);
    const whole = readFileSync(entry);
    for (let at = 0; at < whole.length; at += 997) {
      const damaged = Buffer.from(whole);
      damaged[at] ^= 0x20;
      writeFileSync(entry, damaged);
      const again = await look(here);
      expect(again.isRead, `byte ${at}`).toBe(true);
      expect(tablesOf(again.reading)).toEqual(tablesOf(reading));
    }
  });

  it.runIf(isRoot)('an entry of another user counts for nothing', async () => {
    const here = place();
    await look(here);
    for (const name of readdirSync(here.own)) chownSync(join(here.own, name), NOBODY, NOBODY);
    expect(await isReadAgain(here)).toBe(true);
  });

  it('the code of functions is read again for a profile that was kept, as long as nothing changed', async () => {
    const here = place();
    const first = await look(here);
    const { reading, isRead } = await look(here);
    expect(isRead).toBe(false);
    const frames = [0, 1, 2];
    const codeOf = ({ code, recorded }: Reading) => code?.disassemble(recorded, frames);
    expect(await codeOf(reading)).toEqual(await codeOf(first.reading));
    const later = await look(here);
    writeProgram(here.app, OTHERS);
    await expect(codeOf(later.reading)).rejects.toThrow('has changed');
  });
});

/** The paths that Node's `fs` is asked for while `run` runs. */
async function pathsAsked(run: () => Promise<unknown>): Promise<Set<string>> {
  const paths = new Set<string>();
  const calls = fs as unknown as Record<string, (path: unknown, ...rest: unknown[]) => unknown>;
  const names = Object.keys(fs).filter((name) =>
    /^(?:open|stat|lstat|exists|access|read(?:dir|link|File)|realpath|opendir)Sync$/.test(name),
  );
  const before = names.map((name) => [name, calls[name]] as const);
  for (const [name, call] of before) {
    calls[name] = Object.assign((path: unknown, ...rest: unknown[]) => {
      if (typeof path === 'string') paths.add(resolve(path));
      return call(path, ...rest);
    }, call);
  }
  syncBuiltinESMExports();
  try {
    await run();
  } finally {
    for (const [name, call] of before) calls[name] = call;
    syncBuiltinESMExports();
  }
  return paths;
}

/** perf-ts itself; the kernel, whose version is in the key; accounts, which are asked each time; the list of notes, each of which is asked for. */
const OWN = new RegExp(
  `^(?:${resolve(import.meta.dirname, '../..')}/|/proc/self/|/sys/kernel/notes$|/etc/(?:passwd|group)$|/tmp$)`,
);

it.each<[string, () => Place]>([
  ['a recording', place],
  ['a recording of counters', () => ({ ...place(), file: GROUP })],
  ['a profile of V8', scriptPlace],
])('each path that reading %s asks for is noted', async (_, made) => {
  const { file } = made();
  // A module that is loaded once stays loaded.
  await readProfile(file, { lines: true });
  const asked = new AskedFiles();
  const paths = await pathsAsked(() => asked.during(() => readProfile(file, { lines: true })));
  expect(paths).toContain(file);
  const noted = new Set(asked.answers(LATER())?.map(([path]) => path));
  const isNoted = (path: string): boolean =>
    noted.has(path) || noted.has(/^\/proc\/\d+/.exec(path)?.[0] ?? '') || OWN.test(path);
  expect([...paths].filter((path) => !isNoted(path))).toEqual([]);
});
