import { describe, expect, test } from 'vitest';
import { foldToLevel, withKinds } from '../../src/code/javascript/fold-to-level.ts';
import type { Profile, Weights } from '../../src/profile/types.ts';
import { KIND_GROUPS } from '../../web/src/worker/messages/kind-group.ts';
import { groupOf } from '../../web/src/worker/recording/kind-groups.ts';
import { LoadedRecording } from '../../web/src/worker/recording/recording.ts';
import { pageOf } from '../helpers/page-of.ts';
import { profileFromText, simpleWeights } from '../helpers/profile-from-text.ts';
import { withScripts } from '../helpers/with-scripts.ts';

/** A profile with one sample per function: `name@dso`. */
function profileOf(names: readonly string[]): Profile {
  const width = Math.max(...names.map(({ length }) => length)) + 2;
  return withScripts(profileFromText(names.map((name) => name.padEnd(width)).join('')));
}

function groupByName(page: ReturnType<typeof pageOf>): Record<string, string> {
  const { strings, funcs } = page.profile;
  const { groups } = new LoadedRecording(page);
  return Object.fromEntries(
    Array.from(groups, (group, func) => [strings[funcs.name[func]], KIND_GROUPS[group]]),
  );
}

/** The profile with its DSOs at these paths. */
function withPaths(profile: Profile, paths: Readonly<Record<string, string>>): Profile {
  const dsos = profile.dsos.map((dso) => ({ ...dso, path: paths[dso.name] ?? dso.path }));
  return { ...profile, dsos };
}

describe('groups of functions', () => {
  test('a Node whose scripts have no names is not the program of its user', () => {
    const profile = withPaths(
      profileFromText(`
        uv_run@node  v8::internal::Invoke(v8::internal::Isolate*)@node  main@app
      `),
      { node: '/srv/node/bin/node', app: '/srv/app' },
    );
    expect(groupByName(pageOf(profile))).toMatchObject({ uv_run: 'node', main: 'own' });
  });

  test('JavaScript belongs to its author, to a package or to Node', () => {
    const profile = profileOf([
      'JS:*handle /srv/app.js:7:1@[JIT] tid 1',
      'JS:*next /srv/node_modules/router/index.js:9:1@[JIT] tid 1',
      'JS:*emit node:events:471:3@[JIT] tid 1',
      'JS:*hook /opt/perf-ts/dist/register/preload.cjs:3:1@[JIT] tid 1',
    ]);
    expect(groupByName(pageOf(profile))).toEqual({
      'handle /srv/app.js:7': 'own',
      'next router/index.js:9': 'dependency',
      'emit node:events:471': 'node',
      'hook /opt/perf-ts/dist/register/preload.cjs:3': 'node',
    });
  });

  test.each([
    ['v8::internal::Heap::Scavenge()', 'gc'],
    ['cppgc::internal::Marker::StartMarking()', 'gc'],
    ['v8::internal::compiler::PipelineImpl::Run()', 'v8'],
    ['v8::internal::Parser::DoParseProgram(int)', 'v8'],
    ['Builtins_LoadIC', 'v8'],
    ['[interpreter]', 'v8'],
    ['void node::StreamBase::WriteString<(node::encoding)1>(int)', 'node'],
    ['uv__fs_work', 'native'],
    ['std::find_if<v8::internal::Scanner::Next()::{lambda(int)#1}>(int)', 'v8'],
    // OpenSSL's, in Node's binary.
    ['EVP_EncryptUpdate', 'node'],
  ])('%s in the binary of Node is of the group %s', (name, group) => {
    const profile = profileOf(['JS:*handle /srv/app.js:7:1@[JIT] tid 1', `${name}@node`]);
    expect(groupByName(pageOf(profile))[name]).toBe(group);
  });

  test('the frames of a kind are of the group of the functions that they stand for', () => {
    const names = [
      'v8::internal::Heap::Scavenge()',
      'v8::internal::compiler::PipelineImpl::Run()',
      'node::fs::ReadFileUtf8(int)',
      'uv__fs_work',
      'EVP_EncryptUpdate',
    ];
    for (const name of names) {
      const profile = withKinds(profileOf(['JS:*f /srv/app.js:7:1@[JIT] tid 1', `${name}@node`]));
      const { groups } = new LoadedRecording(pageOf(profile));
      const { samples, stacks, frames } = foldToLevel(profile, 'javascript');
      const kind = frames.func[stacks.frame[samples.stack[1]]];
      expect(KIND_GROUPS[groups[kind]]).toBe(KIND_GROUPS[groups[1]]);
      expect(kind).not.toBe(1);
    }
  });

  test('the executable of a native program is own, libraries and the kernel are not', () => {
    const profile = profileOf([
      'main@hot-paths',
      'core::slice::sort::drift::sort@hot-paths',
      'malloc@libc.so.6',
      'compress@libfast.so',
      'do_syscall_64@[kernel.kallsyms]',
      'clock_gettime@[vdso]',
      'Interpreter@[JIT] tid 1',
      '[unknown]@',
    ]);
    expect(groupByName(pageOf(profile))).toEqual({
      main: 'own',
      'core::slice::sort::drift::sort': 'native',
      malloc: 'native',
      compress: 'native',
      do_syscall_64: 'kernel',
      clock_gettime: 'native',
      Interpreter: 'own',
      '[unknown]': 'unknown',
    });
  });

  test('executables that are installed or in a package are not own in a JavaScript program', () => {
    const profile = withPaths(
      profileOf(['JS:*f /srv/app.js:7:1@[JIT] tid 1', 'a@esbuild', 'b@git', 'c@tool', 'd@x.node']),
      {
        esbuild: '/srv/node_modules/esbuild/bin/esbuild',
        git: '/usr/bin/git',
        tool: '/home/me/tool',
        'x.node': '/home/me/x.node (deleted)',
      },
    );
    const { a, b, c, d } = groupByName(pageOf(profile));
    expect({ a, b, c, d }).toEqual({ a: 'native', b: 'native', c: 'own', d: 'native' });
  });

  test('a reason to wait is the kernel’s, and what was lost is nobody’s', () => {
    const page = pageOf(profileOf(['[S sleeping in do_epoll_wait]@', '[lost]@']));
    expect(groupByName(page)).toEqual({
      '[S sleeping in do_epoll_wait]': 'kernel',
      '[lost]': 'unknown',
    });
  });

  test('functions of an imported text are the program’s, if their names tell nothing else', () => {
    const page = pageOf(
      profileOf(['main@', 'v8::internal::Heap::Scavenge()@', '[truncated]@', 'f@app', 'g@libz.so']),
    );
    const samples: Weights = { ...simpleWeights(page.profile), areOfText: true };
    expect(groupByName({ ...page, weights: { samples } })).toEqual({
      main: 'own',
      'v8::internal::Heap::Scavenge()': 'gc',
      '[truncated]': 'unknown',
      f: 'own',
      g: 'native',
    });
  });

  test('kernel modules are the kernel’s, guests and folded rows are nobody’s', () => {
    const kinds = ['module', 'guest', 'root', 'lost', 'folded'] as const;
    expect(kinds.map((kind) => groupOf(kind, 'f'))).toEqual([
      'kernel',
      'unknown',
      'unknown',
      'unknown',
      'unknown',
    ]);
  });
});
