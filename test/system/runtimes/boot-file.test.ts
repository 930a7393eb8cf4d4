import {
  chmodSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bootFiles } from '../../../src/system/runtimes/boot-file.ts';
import { withNodeOptions } from '../../../src/system/runtimes/node-session.ts';
import { packageFile } from '../../../src/system/version.ts';
import { scratchDirectory } from '../../helpers/cli.ts';

const root = scratchDirectory();
const packaged = packageFile('dist/register/boot.cjs');
let places = 0;

function place(): string {
  const home = join(root, `home-${places++}`);
  mkdirSync(home, { recursive: true, mode: 0o755 });
  return home;
}

function filesIn(home: string): string[] {
  return [...bootFiles({ XDG_DATA_HOME: home })];
}

test('the first file of a program is kept outside of the package, and made once', () => {
  const home = place();
  const [kept, last] = filesIn(home);
  expect(kept).toMatch(new RegExp(`^${home}/perf-ts/boot-[0-9a-f]{12}\\.cjs$`));
  expect(last).toBe(packaged);
  expect(readFileSync(kept)).toEqual(readFileSync(packaged));
  const { ino } = statSync(kept);
  expect(filesIn(home)[0]).toBe(kept);
  expect(statSync(kept).ino).toBe(ino);
  expect(readdirSync(join(home, 'perf-ts'))).toHaveLength(1);
});

test('a kept file that has changed is replaced, and a link in its place is not followed', () => {
  const home = place();
  const [kept] = filesIn(home);
  const victim = join(home, 'victim');
  writeFileSync(kept, 'process.exit(1)');
  filesIn(home);
  expect(readFileSync(kept)).toEqual(readFileSync(packaged));
  chmodSync(kept, 0o666);
  filesIn(home);
  expect(statSync(kept).mode & 0o022).toBe(0);
  writeFileSync(victim, 'precious');
  symlinkSync(victim, join(home, 'link'));
  const elsewhere = place();
  mkdirSync(join(elsewhere, 'perf-ts'));
  symlinkSync(victim, join(elsewhere, 'perf-ts', kept.slice(kept.lastIndexOf('/') + 1)));
  filesIn(elsewhere);
  expect(readFileSync(victim, 'utf8')).toBe('precious');
});

test('a folder that others may write to, or a link to one, is not used', () => {
  const home = place();
  mkdirSync(join(home, 'perf-ts'));
  chmodSync(join(home, 'perf-ts'), 0o777);
  expect(filesIn(home)).toEqual([packaged]);
  const linked = place();
  symlinkSync(home, join(linked, 'perf-ts'));
  expect(filesIn(linked)).toEqual([packaged]);
  expect(filesIn('/proc/no-such-place')).toEqual([packaged]);
});

test.skipIf(process.geteuid?.() !== 0)("root uses no folder of another user's", () => {
  const home = place();
  mkdirSync(join(home, 'perf-ts'));
  lchownSync(join(home, 'perf-ts'), 65534, 65534);
  expect(filesIn(home)).toEqual([packaged]);
});

const PRELOAD = { boot: '/a b/boot.cjs', program: '/p/recorded.cjs', owner: 7 };

test.each([
  [undefined, '--require "/a b/boot.cjs"'],
  ['', '--require "/a b/boot.cjs" '],
  ['--no-warnings ', '--require "/a b/boot.cjs" --no-warnings '],
])(
  'NODE_OPTIONS %j get the preload ahead of what they had, which the session tells exactly',
  (options, expected) => {
    const given = options === undefined ? [] : [`NODE_OPTIONS=${options}`];
    const env = withNodeOptions(['A=1', ...given, 'B=2'], [], { ...PRELOAD, socket: '@s' });
    const value = (name: string) =>
      env.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
    expect(value('NODE_OPTIONS')).toBe(expected);
    const session = JSON.parse(value('PERF_TS_SESSION')) as { words: string };
    expect(session).toMatchObject({ ...PRELOAD, socket: '@s' });
    expect(`${session.words}${options ?? ''}`).toBe(expected);
    // Variables stand where they stood: a program may print its environment.
    const names = env.map((entry) => entry.split('=', 1)[0]);
    const last = options === undefined ? ['NODE_OPTIONS', 'PERF_TS_SESSION'] : ['PERF_TS_SESSION'];
    expect(names).toEqual(['A', ...(options === undefined ? [] : ['NODE_OPTIONS']), 'B', ...last]);
  },
);
