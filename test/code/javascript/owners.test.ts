import { describe, expect, test } from 'vitest';
import { ownerOfScript, withOwners } from '../../../src/code/javascript/owners.ts';
import { SourceMap } from '../../../src/code/javascript/source-map.ts';
import { foldToLevel, withKinds } from '../../../src/code/levels/fold-to-level.ts';
import { FUNC_CATEGORIES, type Profile } from '../../../src/profile/types.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';
import { withScripts } from '../../helpers/with-scripts.ts';

/** A profile with one sample per function: `name@dso`. */
function profileOf(names: readonly string[]): Profile {
  const width = Math.max(...names.map(({ length }) => length)) + 2;
  return withScripts(profileFromText(names.map((name) => name.padEnd(width)).join('')));
}

function ownersByName({ strings, funcs }: Profile): Record<string, string> {
  return Object.fromEntries(
    Array.from(funcs.category, (row, func) => [strings[funcs.name[func]], FUNC_CATEGORIES[row]]),
  );
}

/** The profile with its DSOs at these paths, and the owners anew. */
function withPaths(profile: Profile, paths: Readonly<Record<string, string>>): Profile {
  const dsos = profile.dsos.map((dso) => ({ ...dso, path: paths[dso.name] ?? dso.path }));
  return withOwners({ ...profile, dsos });
}

const SCRIPT = 'JS:*handle /srv/app.js:7:1@[JIT] tid 1';

describe('the owner of a script', () => {
  test.each([
    ['/srv/app.js', '/srv/src/app.ts', 'user code'],
    ['/srv/node_modules/a/a.js', '/srv/node_modules/a/a.js', 'dependency'],
    ['node:events', 'node:events', 'node internal'],
    ['ext:core/01_core.js', 'ext:core/01_core.js', 'node internal'],
    // The map of a package leads to the sources of its author.
    ['/srv/node_modules/next/dist/s.js', 'webpack://next/dist/src/s.ts', 'dependency'],
    ['/srv/node_modules/d/q.js', 'https://raw.githubusercontent.com/f/d/q.ts', 'dependency'],
    // Yarn's loader, and the pages of Chromium itself.
    ['/srv/.pnp.cjs', '/srv/.pnp.cjs', 'dependency'],
    ['file:///srv/.pnp.loader.mjs', '/srv/.pnp.loader.mjs', 'dependency'],
    ['/srv/.yarn/releases/yarn-4.9.0.cjs', '/srv/.yarn/releases/yarn-4.9.0.cjs', 'dependency'],
    ['chrome://resources/lit.js', 'chrome://resources/lit.js', 'node internal'],
    // A tool keeps what it has made of the program, or of packages.
    ['file:///srv/node_modules/.vite-temp/c.mjs', '/srv/vite.config.ts', 'user code'],
    [
      'file:///srv/node_modules/.vite-temp/c.mjs',
      '/srv/node_modules/.vite-temp/c.mjs',
      'dependency',
    ],
    ['/srv/node_modules/.vite/deps/a.js', '/srv/node_modules/a/index.js', 'dependency'],
    ['/srv/node_modules/.pnpm/a@1/node_modules/a/a.js', 'webpack://a/a.ts', 'dependency'],
    ['/srv/node_modules/.store/a-npm-1/package/a.js', 'webpack://a/a.ts', 'dependency'],
    // A bundle of the program has packages, and the bundler's runtime.
    ['/srv/dist/bundle.js', '/srv/node_modules/express/lib/router.js', 'dependency'],
    ['/srv/dist/bundle.js', 'webpack://shop/webpack/bootstrap', 'dependency'],
    ['/srv/dist/bundle.js', 'webpack://shop/./src/cart.ts', 'user code'],
    // A map within the bundle led from a package's dist to its sources; a workspace has its own name there.
    ['/srv/.next/server/page.js', 'webpack:///../../../src/client/link.tsx', 'dependency'],
    ['/srv/.next/server/page.js', 'webpack:///../../packages/ui/src/link.tsx', 'user code'],
    ['/srv/.next/server/chunks/r.js', 'turbopack:///[turbopack]/nodejs/runtime.ts', 'dependency'],
    ['/srv/.next/server/app/route.js', 'webpack://shop/?10ed', 'dependency'],
    ['/srv/.next/server/app/route.js', 'webpack://shop/external commonjs "next"', 'dependency'],
    ['/srv/dist/bundle.js', '/srv/dist/\0commonjsHelpers.js', 'dependency'],
    ['/srv/.next/server/webpack-runtime.js', '/srv/.next/server/webpack-runtime.js', 'dependency'],
    ['/srv/.next/server/app/page.js', '/srv/app/page.tsx', 'user code'],
  ])('of %s, written as %s, is %s', (ran, written, owner) => {
    expect(ownerOfScript(ran, written)).toBe(owner);
  });

  test('a function of a compiled file that its map leaves out is of the compiler', () => {
    const script = 'file:///srv/dist/app.js';
    const map = { version: 3, sources: ['../src/app.ts'], names: [], mappings: ';AAAA' };
    const sourceMaps = { find: () => SourceMap.from(map, '/srv/dist/app.js.map') };
    const named = withScripts(
      profileFromText(`
        JS:*__awaiter ${script}:1:10@[JIT] tid 1
        JS:*handle ${script}:2:16@[JIT] tid 1
        JS:* ${script}:3:1@[JIT] tid 1
      `),
      sourceMaps,
    );
    expect(ownersByName(named)).toEqual({
      '__awaiter /srv/dist/app.js:1': 'dependency',
      'handle /srv/src/app.ts:1': 'user code',
      '(anonymous) /srv/dist/app.js:3': 'user code',
    });
  });

  test('the key of a module tells whether its body is of a package, in a bundle without a map', () => {
    const script = '/srv/.next/server/app/page.js';
    const named = withScripts(
      profileFromText(`
        JS:~(rsc)/./node_modules/a/b.js ${script}:2:10@[JIT] tid 1
        JS:~./node_modules/c/index.js ${script}:4:10@[JIT] tid 1
        JS:~(rsc)/./app/page.tsx ${script}:6:10@[JIT] tid 1
        JS:~/users/node_modules ${script}:8:10@[JIT] tid 1
      `),
      { find: () => null },
    );
    expect(Object.values(ownersByName(named))).toEqual([
      ...['dependency', 'dependency', 'user code', 'user code'],
    ]);
  });
});

describe('the owner of code that a program has compiled', () => {
  test('the owner of code that a program has compiled is the owner of the functions with a file that call it in most samples', () => {
    const profile = withScripts(
      profileFromText(`
        JS:*main /srv/app.js:1:1@[JIT] tid 1  JS:*main /srv/app.js:1:1@[JIT] tid 1               JS:*main /srv/app.js:1:1@[JIT] tid 1               JS:*emit node:events:4:1@[JIT] tid 1
        JS:*ofOwn@[JIT] tid 1                 JS:*call /srv/node_modules/h/i.js:3:1@[JIT] tid 1  JS:*call /srv/node_modules/h/i.js:3:1@[JIT] tid 1  JS:*ofNobody@[JIT] tid 1
                                              JS:*ofHook@[JIT] tid 1                             JS:*ofHook@[JIT] tid 1
                                                                                                 JS:*inner@[JIT] tid 1
      `),
    );
    expect(ownersByName(profile)).toMatchObject({
      ofOwn: 'user code',
      ofHook: 'dependency',
      inner: 'dependency',
      ofNobody: 'unknown',
    });
  });

  test('code that node:vm compiles without a name is of the functions that call it', () => {
    const profile = withScripts(
      profileFromText(`
        JS:*call /srv/node_modules/h/i.js:3:1@[JIT] tid 1
        JS:*inVm evalmachine.<anonymous>:1:1@[JIT] tid 1
      `),
    );
    expect(ownersByName(profile)).toMatchObject({ 'inVm evalmachine.<anonymous>:1': 'dependency' });
  });

  test('the owner of code that a program has compiled is the program where the engine reports names only', () => {
    const names = ['JS:*work@[JIT] tid 1', 'malloc@libc.so.6'];
    expect(ownersByName(profileOf(names))).toEqual({ work: 'user code', malloc: 'libc' });
  });
});

describe('owners of native functions', () => {
  test('a Node whose scripts have no names is not the program of its user', () => {
    const profile = withPaths(
      profileFromText(`
        uv_run@node  v8::internal::Invoke(v8::internal::Isolate*)@node  main@app
      `),
      { node: '/srv/node/bin/node', app: '/srv/app' },
    );
    expect(ownersByName(profile)).toMatchObject({ uv_run: 'node internal', main: 'user code' });
  });

  test.each([
    ['v8::internal::Heap::Scavenge()', 'GC'],
    ['cppgc::internal::Marker::StartMarking()', 'GC'],
    ['v8::internal::compiler::PipelineImpl::Run()', 'V8'],
    ['v8::internal::Parser::DoParseProgram(int)', 'V8'],
    ['Builtins_LoadIC', 'V8'],
    ['[interpreter]', 'V8'],
    ['void node::StreamBase::WriteString<(node::encoding)1>(int)', 'node internal'],
    ['uv__fs_work', 'node internal'],
    ['std::find_if<v8::internal::Scanner::Next()::{lambda(int)#1}>(int)', 'V8'],
    // OpenSSL's, in Node's binary.
    ['EVP_EncryptUpdate', 'node internal'],
  ])('%s in the binary of Node is of %s', (name, owner) => {
    expect(ownersByName(profileOf([SCRIPT, `${name}@node`]))[name]).toBe(owner);
  });

  test('a frame of a kind belongs to the owner of the functions that it stands for', () => {
    const names = [
      'v8::internal::Heap::Scavenge()',
      'v8::internal::compiler::PipelineImpl::Run()',
      'node::fs::ReadFileUtf8(int)',
      'uv__fs_work',
      'EVP_EncryptUpdate',
    ];
    for (const name of names) {
      const profile = withKinds(profileOf([SCRIPT, `${name}@node`]));
      const { samples, stacks, frames, funcs } = foldToLevel(profile, 'javascript');
      const kind = frames.func[stacks.frame[samples.stack[1]]];
      expect(kind).not.toBe(1);
      expect(FUNC_CATEGORIES[funcs.category[kind]]).toBe(FUNC_CATEGORIES[funcs.category[1]]);
    }
  });

  test('a level of a native program leaves the owner of each sample as it is', () => {
    const names = ['main@app', '[unknown]@app', 'memcpy@libc.so.6', 'std::sort@app', 'f@libz.so'];
    const profile = withKinds(profileOf(names));
    const leaves = (level: 'all' | 'main' | 'own') => {
      const { samples, stacks, frames, funcs } = foldToLevel(profile, level);
      return Array.from(samples.stack, (row) => {
        return FUNC_CATEGORIES[funcs.category[frames.func[stacks.frame[row]]]];
      });
    };
    const owners = ['user code', 'unknown', 'libc', 'standard library', 'native'];
    expect([leaves('all'), leaves('main'), leaves('own')]).toEqual([owners, owners, owners]);
  });

  test('the executable is own, its libraries, unnamed code and the kernel are not', () => {
    const names = [
      'main@hot-paths',
      'core::slice::sort::drift::sort@hot-paths',
      'malloc@libc.so.6',
      'std::string::append@libstdc++.so.6',
      'compress@libfast.so',
      'do_syscall_64@[kernel.kallsyms]',
      'clock_gettime@[vdso]',
      'Interpreter@[JIT] tid 1',
      'uv_fs_open@libuv.so.1',
      '[unknown]@',
    ];
    expect(ownersByName(profileOf(names))).toEqual({
      main: 'user code',
      'core::slice::sort::drift::sort': 'standard library',
      malloc: 'libc',
      'std::string::append': 'standard library',
      compress: 'native',
      do_syscall_64: 'kernel',
      clock_gettime: 'libc',
      Interpreter: 'user code',
      uv_fs_open: 'native',
      '[unknown]': 'unknown',
    });
  });

  test('executables that are installed or in a package are not own next to JavaScript', () => {
    const profile = withPaths(
      profileOf([SCRIPT, 'a@esbuild', 'b@git', 'c@tool', 'd@x.node', 'e@y.node']),
      {
        esbuild: '/srv/node_modules/esbuild/bin/esbuild',
        git: '/usr/bin/git',
        tool: '/home/me/tool',
        'x.node': '/home/me/x.node (deleted)',
        'y.node': '/srv/node_modules/y/y.node',
      },
    );
    const { a, b, c, d, e } = ownersByName(profile);
    expect({ a, b, c, d, e }).toEqual({
      a: 'dependency',
      b: 'native',
      c: 'user code',
      d: 'native',
      e: 'dependency',
    });
  });

  test('the library of Go is apart in programs of Go, and only there', () => {
    const names = [
      'main.count@go-app',
      'github.com/me/app/words.Split@go-app',
      'strings.Fields@go-app',
      'strings.(*Builder).WriteByte@go-app',
      'encoding/json.Marshal@go-app',
      'aeshashbody@go-app',
      'memeqbody@go-app',
      'runtime.mallocgc@go-app',
      'sort.part.0@c-app',
    ];
    expect(ownersByName(profileOf(names))).toEqual({
      'main.count': 'user code',
      'github.com/me/app/words.Split': 'user code',
      'strings.Fields': 'standard library',
      'strings.(*Builder).WriteByte': 'standard library',
      'encoding/json.Marshal': 'standard library',
      aeshashbody: 'standard library',
      memeqbody: 'standard library',
      'runtime.mallocgc': 'standard library',
      'sort.part.0': 'user code',
    });
  });

  test.each([
    '<hashbrown::map::HashMap<K,V,S,A> as core::iter::traits::collect::Extend<(K,V)>>::extend',
    '<str>::to_lowercase',
    '__rust_alloc',
    '__rustc::__rust_dealloc',
    '<[T]>::sort',
    'alloc::vec::Vec<T,A>::push',
  ])('%s is of the library of Rust', (name) => {
    expect(ownersByName(profileOf(['app::count@app', `${name}@app`]))).toEqual({
      'app::count': 'user code',
      [name]: 'standard library',
    });
  });

  test('a reason to wait is the kernel’s, and what was lost is nobody’s', () => {
    expect(ownersByName(profileOf(['[S sleeping in do_epoll_wait]@', '[lost]@']))).toEqual({
      '[S sleeping in do_epoll_wait]': 'kernel',
      '[lost]': 'unknown',
    });
  });

  test('functions of a text are unknown, if neither their names nor files tell the owner', () => {
    const names = [
      'main@',
      'emit node:events:471@',
      'v8::internal::Heap::Scavenge()@',
      '[truncated]@',
      'f@app',
      'g@libz.so',
    ];
    expect(ownersByName(profileOf(names))).toEqual({
      main: 'unknown',
      'emit node:events:471': 'node internal',
      'v8::internal::Heap::Scavenge()': 'GC',
      '[truncated]': 'unknown',
      f: 'user code',
      g: 'native',
    });
  });
});
