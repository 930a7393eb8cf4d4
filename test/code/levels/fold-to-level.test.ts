import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldToLevel, withKinds } from '../../../src/code/levels/fold-to-level.ts';
import type { Profile } from '../../../src/profile/types.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';
import { drawStacks, stackNames as stacks } from '../../helpers/stack-names.ts';
import { withScripts } from '../../helpers/with-scripts.ts';

const LIBC = '@libc.so.6';
const KERNEL = '@[kernel.kallsyms]';
const JIT = '@[JIT] tid 1';
const NODE = '@node';
const LOOP = [
  `__libc_start_call_main${LIBC}`,
  `node::Start(int, char**)${NODE}`,
  `node::SpinEventLoopInternal(node::Environment*)${NODE}`,
  `uv_run${NODE}`,
  `uv__io_poll${NODE}`,
];
const READ = [...LOOP, `uv__read${NODE}`, `node::LibuvStreamWrap::OnUvRead(long)${NODE}`];
const CALL = [`v8::Function::Call(int)${NODE}`, `Builtins_JSEntryTrampoline${NODE}`];
const EMIT = `JS:*emit node:events:471:3${JIT}`;
const NEXT = `JS:*next /srv/node_modules/router/index.js:9:1${JIT}`;
const HANDLE = `JS:*handle /srv/app.js:7:1${JIT}`;
const SYSCALL = [`entry_SYSCALL_64_after_hwframe${KERNEL}`, `do_syscall_64${KERNEL}`];

/** One sample of each stack; cells are as `profileFromText` reads them. */
const profileOf = (...columns: readonly (readonly string[])[]): Profile =>
  withScripts(profileFromText(drawStacks(...columns)));

const folded = (level: 'javascript' | 'own', ...columns: readonly (readonly string[])[]) => {
  const profile = foldToLevel(profileOf(...columns), level);
  checkProfile(profile);
  return stacks(profile);
};

describe('the level javascript', () => {
  test('frames that lead to the first function are the event loop', () => {
    expect(folded('javascript', [...READ, ...CALL, HANDLE])).toEqual([
      '(event loop) > handle /srv/app.js:7',
    ]);
  });

  test("work of V8 to run a function is the function's own time, also in the C library", () => {
    const runs = [
      [`Builtins_LoadIC${NODE}`, `v8::internal::Runtime_GetProperty(int)${NODE}`],
      [`memcpy${LIBC}`],
      [`Builtins_ArrayPrototypeMap${NODE}`],
    ];
    for (const run of runs) {
      expect(folded('javascript', [HANDLE, ...run])).toEqual(['handle /srv/app.js:7']);
    }
  });

  test("functions of Node's start that have no names are one frame, with what is between them", () => {
    const start = `JS:^(bootstrap) node:internal/bootstrap:1:1${JIT}`;
    const between = `v8::Function::Call(int)${NODE}`;
    expect(folded('javascript', [start, start, between, start, HANDLE, start, EMIT])).toEqual([
      '(bootstrap) node:internal/bootstrap:1 > handle /srv/app.js:7 > (bootstrap) node:internal/bootstrap:1 > emit node:events:471',
    ]);
  });

  test('a built-in between two functions is no frame', () => {
    expect(folded('javascript', [HANDLE, `Builtins_ArrayPrototypeMap${NODE}`, EMIT])).toEqual([
      'handle /srv/app.js:7 > emit node:events:471',
    ]);
  });

  test.each([
    ['v8::internal::Heap::CollectGarbage(v8::internal::AllocationSpace)', '(garbage collector)'],
    ['v8::internal::Compiler::Compile(v8::internal::Isolate*)', '(parse & compile)'],
    ['node::fs::ReadFileUtf8(int)', '(Node C++)'],
    ['uv_hrtime', '(libuv)'],
  ])('%s below a function is a frame of its kind', (name, kind) => {
    expect(folded('javascript', [HANDLE, `Builtins_CEntry${NODE}`, `${name}${NODE}`])).toEqual([
      `handle /srv/app.js:7 > ${kind}`,
    ]);
  });

  test('the strongest kind names a run: garbage that a compiler collects, a compiler that parses', () => {
    const parse = `v8::internal::Parser::DoParseProgram(int)${NODE}`;
    const maglev = `v8::internal::maglev::MaglevCompiler::Compile(int)${NODE}`;
    const turbofan = `v8::internal::compiler::JSHeapBroker::Init()${NODE}`;
    const gc = `v8::internal::Scavenger::Process(int)${NODE}`;
    expect(
      folded(
        'javascript',
        [parse, maglev, turbofan],
        [parse, turbofan, maglev],
        [maglev, gc, parse],
      ),
    ).toEqual(['(compiler: Maglev)', '(compiler: TurboFan)', '(garbage collector)']);
  });

  test('the kernel is the system call, the fault, the interrupt', () => {
    const fault = [`asm_exc_page_fault${KERNEL}`, `handle_mm_fault${KERNEL}`];
    expect(
      folded(
        'javascript',
        [HANDLE, `write${LIBC}`, ...SYSCALL, `ksys_write${KERNEL}`, ...fault],
        [HANDLE, ...fault],
        [HANDLE, ...SYSCALL],
      ),
    ).toEqual([
      'handle /srv/app.js:7 > (kernel: write)',
      'handle /srv/app.js:7 > (kernel: page fault)',
      'handle /srv/app.js:7 > (kernel: system call)',
    ]);
  });

  test('addons and other libraries keep their functions, also those of the C library below', () => {
    const addon = ['node_api_call@node', 'resize(int)@sharp.node', `malloc${LIBC}`];
    expect(
      folded('javascript', [HANDLE, ...addon], [HANDLE, 'v8::Object::New(int)@sharp.node']),
    ).toEqual(['handle /srv/app.js:7 > resize(int) > malloc', 'handle /srv/app.js:7']);
  });

  test('a resumed function stands below the microtasks, once', () => {
    const microtasks = [
      'v8::internal::MicrotaskQueue::RunMicrotasks(int)@node',
      'v8::internal::Execution::TryRunMicrotasks(int)@node',
      'Builtins_RunMicrotasks@node',
      'Builtins_AsyncFunctionAwaitResolveClosure@node',
    ];
    expect(
      folded('javascript', [...READ, ...microtasks, HANDLE], [...LOOP, ...microtasks]),
    ).toEqual([
      '(event loop) > (microtasks) > handle /srv/app.js:7',
      '(event loop) > (microtasks) > (V8 built-ins)',
    ]);
  });

  test('threads of V8 and libuv begin with their own roots', () => {
    const start = `start_thread${LIBC}`;
    const v8 = 'node::(anonymous namespace)::PlatformWorkerThread(void*)@node';
    expect(
      folded(
        'javascript',
        [start, v8, 'v8::internal::ConcurrentMarking::RunMajor(int)@node'],
        [start, 'worker@node', 'uv__fs_work@node', `read${LIBC}`],
        [start, 'vips_thread_run@libvips.so.42'],
      ),
    ).toEqual(['(V8 worker) > (garbage collector)', '(libuv worker) > (libuv)', 'vips_thread_run']);
  });

  test('work of libuv’s pool stands below the function that asked for it', () => {
    const worker = [`start_thread${LIBC}`, 'uv__thread_start@node', 'worker@node'];
    expect(
      folded(
        'javascript',
        ['uv_run@node', HANDLE, ...worker, 'uv__fs_work@node', `read${LIBC}`],
        ['uv_run@node', HANDLE, ...worker],
        ['uv_run@node', HANDLE, ...worker, `[unknown]${NODE}`],
      ),
    ).toEqual([
      '(event loop) > handle /srv/app.js:7 > (libuv worker) > (libuv)',
      '(event loop) > handle /srv/app.js:7 > (libuv worker)',
      '(event loop) > handle /srv/app.js:7 > (libuv worker)',
    ]);
  });

  test('the binary is named without symbols, and no kind is guessed', () => {
    expect(folded('javascript', [`[unknown]${NODE}`, HANDLE, `[unknown]${NODE}`])).toEqual([
      'handle /srv/app.js:7 > (node)',
    ]);
  });

  test('a stack that is cut in the C library is that of the library', () => {
    const wake = [`pthread_cond_signal${LIBC}`, `futex_wake${LIBC}`, `__x64_sys_futex${KERNEL}`];
    expect(
      folded('javascript', [HANDLE], [`_int_malloc${LIBC}`], wake, ['[unknown]@', ...wake]).slice(
        1,
      ),
    ).toEqual(['(libc)', '(libc) > (kernel: futex)', '(libc) > (kernel: futex)']);
  });

  test('the C library below a frame in no file is the library, whatever led there', () => {
    const lost = ['[unknown]@', `[unknown]${NODE}`, '[unknown]@', `_IO_old_init${LIBC}`];
    expect(folded('javascript', [HANDLE], lost).slice(1)).toEqual(['(libc)']);
  });

  test('a frame in no file stays where nothing tells that it is none', () => {
    expect(folded('javascript', ['[unknown]@', HANDLE], ['[unknown]@'])).toEqual([
      '[unknown] > handle /srv/app.js:7',
      '[unknown]',
    ]);
  });

  test('work of perf-ts itself in the program has its name', () => {
    const listen = ['v8::internal::Compiler::Compile(int)@node', 'On@perf_ts_code_events.node'];
    expect(
      folded('javascript', [HANDLE, ...listen], [`start_thread${LIBC}`, 'Run@perf_ts.node']),
    ).toEqual(['handle /srv/app.js:7 > (perf-ts)', '(perf-ts)']);
    const read = [`process_vm_readv${LIBC}`, `__x64_sys_process_vm_readv${KERNEL}`];
    expect(folded('javascript', [HANDLE, ...listen, ...read], [HANDLE, ...read])).toEqual([
      'handle /srv/app.js:7 > (perf-ts)',
      'handle /srv/app.js:7 > (kernel: process_vm_readv)',
    ]);
  });

  test('work of perf-ts by addons of its package, and in JavaScript, has its name too', () => {
    const script = `JS:*lifeMark /srv/node_modules/perf-ts/dist/register/preload.cjs:251:1${JIT}`;
    const hook = `JS:*hook /srv/node_modules/perf-ts/dist/register/preload.cjs:3:1${JIT}`;
    const addons = [
      '/srv/node_modules/perf-ts/prebuilds/linux-x64/code-events.so',
      '/srv/node_modules/perf-ts/prebuilds/linux-arm64/perf-ts.musl.node',
    ];
    for (const level of ['javascript', 'own'] as const) {
      for (const addon of addons) {
        expect(folded(level, [HANDLE, `[unknown]@${addon}`])).toEqual([
          'handle /srv/app.js:7 > (perf-ts)',
        ]);
      }
      expect(folded(level, [...READ, ...CALL, script])).toEqual(['(event loop) > (perf-ts)']);
      // What the program's modules do within a hook is not perf-ts's.
      expect(folded(level, [...READ, ...CALL, hook, HANDLE])).toEqual([
        '(event loop) > handle /srv/app.js:7',
      ]);
      expect(folded(level, [HANDLE, hook, HANDLE])).toEqual([
        'handle /srv/app.js:7 > handle /srv/app.js:7',
      ]);
    }
    // A file of this name that is another's.
    expect(folded('javascript', [HANDLE, '[unknown]@/srv/lib/code-events.so'])).not.toContain(
      'handle /srv/app.js:7 > (perf-ts)',
    );
  });

  test('a call of the program through a trap of perf-ts is not work of perf-ts', () => {
    const file = '/srv/node_modules/perf-ts/dist/register/recorded.cjs';
    const wrap = `node::(anonymous namespace)::ProcessWrap::Spawn()${NODE}`;
    const exec = `__x64_sys_execve${KERNEL}`;
    for (const trap of ['apply', 'construct', 'perfTsWatched']) {
      const handed = [HANDLE, `Builtins_CallProxy${NODE}`, `JS:*${trap} ${file}:212:1${JIT}`];
      expect(folded('javascript', [...handed, wrap, exec], [...handed, wrap], handed)).toEqual([
        'handle /srv/app.js:7 > (Node C++) > (kernel: execve)',
        'handle /srv/app.js:7 > (Node C++)',
        'handle /srv/app.js:7',
      ]);
    }
    // Functions that a trap calls are perf-ts's.
    const own = `JS:*passedOn ${file}:230:1${JIT}`;
    const trap = `JS:*apply ${file}:212:1${JIT}`;
    expect(folded('javascript', [HANDLE, trap, own, wrap, exec])).toEqual([
      'handle /srv/app.js:7 > (perf-ts)',
    ]);
  });

  test('stacks of other processes begin with main', () => {
    const profile = withScripts(
      profileFromText(`
        tid     1  2
                JS:*a /srv/a.js:1:1@[JIT] tid 1  __libc_start_main@libc.so.6
                vfs_read@[kernel.kallsyms]       main@gzip
                -                                write@libc.so.6
                -                                ksys_write@[kernel.kallsyms]
      `),
    );
    expect(stacks(foldToLevel(profile, 'javascript'))).toEqual([
      'a /srv/a.js:1 > (kernel)',
      'main > write > ksys_write',
    ]);
    expect(stacks(foldToLevel(profile, 'own'))).toEqual([
      'a /srv/a.js:1 > (kernel)',
      'main > (libc) > (kernel: write)',
    ]);
  });
});

describe('the level own', () => {
  test.each(['RegExp:a+', "RegExp.> src: 'a+' flags: ''"])(
    '%s counts for the function that called it',
    (name) => {
      expect(folded('own', [...READ, ...CALL, HANDLE, `${name}@[JIT] tid 1`])).toEqual([
        '(event loop) > handle /srv/app.js:7',
      ]);
    },
  );

  test('dependencies and Node are part of the own function that called them', () => {
    expect(
      folded(
        'own',
        [
          ...READ,
          ...CALL,
          EMIT,
          NEXT,
          HANDLE,
          NEXT,
          EMIT,
          'v8::internal::Scavenger::Process(int)@node',
        ],
        [HANDLE, NEXT],
      ),
    ).toEqual([
      '(event loop) > handle /srv/app.js:7 > (garbage collector)',
      'handle /srv/app.js:7',
    ]);
  });

  test('time that no own function has called is a kind, and so are libraries', () => {
    expect(
      folded(
        'own',
        [...LOOP, EMIT],
        [...LOOP, EMIT, NEXT],
        [HANDLE, 'resize@libvips.so.42', `free${LIBC}`],
      ),
    ).toEqual([
      '(event loop) > (node internals)',
      '(event loop) > (dependencies)',
      'handle /srv/app.js:7 > (libvips)',
    ]);
  });
});

describe('waits', () => {
  const POLL = [
    ...LOOP,
    ...SYSCALL,
    `__x64_sys_epoll_pwait${KERNEL}`,
    `[S sleeping in do_epoll_wait]${KERNEL}`,
  ];
  const PREEMPTED = [...LOOP, ...SYSCALL, `[R+ preempted]${KERNEL}`];

  test('an event loop without events is idle; one that waits for a CPU is not', () => {
    expect(folded('javascript', POLL, PREEMPTED)).toEqual([
      '(idle: event loop)',
      '(event loop) > (libuv) > (kernel: system call) > [R+ preempted]',
    ]);
  });

  test('a function that waits for a program stays', () => {
    const sync = ['node::SyncProcessRunner::Spawn(int)@node', 'uv_run@node', 'uv__io_poll@node'];
    const [shown] = folded('javascript', [HANDLE, ...sync, ...POLL.slice(LOOP.length)]);
    expect(shown).toBe(
      'handle /srv/app.js:7 > (Node C++) > (kernel: epoll_pwait) > [S sleeping in do_epoll_wait]',
    );
  });

  test('workers of V8 and libuv that wait for work are idle, those at work are not', () => {
    const sleep = [
      `pthread_cond_wait${LIBC}`,
      ...SYSCALL,
      `[S sleeping in futex_do_wait]${KERNEL}`,
    ];
    expect(
      folded(
        'javascript',
        [
          'node::PlatformWorkerThread(void*)@node',
          'node::TaskQueue<v8::Task>::BlockingPop()@node',
          ...sleep,
        ],
        ['Builtins_LoadIC@node', 'worker@node', 'uv_cond_wait@node', ...sleep].slice(1),
        ['worker@node', 'uv__fs_work@node', ...sleep],
      ),
    ).toEqual([
      '(idle threads)',
      '(idle threads)',
      '(libuv worker) > (libuv) > (kernel: system call) > [S sleeping in futex_do_wait]',
    ]);
  });

  test('a stack that is cut in the wait is idle where its thread is of a pool', () => {
    const profile = profileOf(
      [HANDLE],
      [`pthread_cond_wait${LIBC}`, ...SYSCALL, `[S sleeping in futex_do_wait]${KERNEL}`],
    );
    const named = (comm: string) => ({
      ...profile,
      threads: profile.threads.map((thread) => ({ ...thread, comm })),
    });
    expect(stacks(foldToLevel(named('V8 worker'), 'javascript'))[1]).toBe('(idle threads)');
    expect(stacks(foldToLevel(named('node'), 'javascript'))[1]).toBe(
      '(libc) > (kernel: system call) > [S sleeping in futex_do_wait]',
    );
  });
});

const PARTS = [
  ...READ,
  ...CALL,
  EMIT,
  NEXT,
  HANDLE,
  ...SYSCALL,
  'v8::internal::Scavenger::Process(int)@node',
  'Builtins_RunMicrotasks@node',
  'resize@sharp.node',
  `malloc${LIBC}`,
  '[unknown]@node',
  '[unknown]@',
];

describe('whatever the stacks', () => {
  const anyStacks = fc.array(fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 9 }), {
    minLength: 1,
    maxLength: 6,
  });

  test('each stack is folded by itself, and all else of the samples stays', () => {
    fc.assert(
      fc.property(anyStacks, fc.constantFrom('javascript', 'own'), (columns, level) => {
        // One more, so that the process runs V8 in each profile.
        const profile = profileOf([HANDLE], ...columns);
        const result = foldToLevel(profile, level);
        checkProfile(result);
        const { stack: _, ...samples } = result.samples;
        expect(profile.samples).toMatchObject(samples);
        const alone = columns.map(
          (column) => stacks(foldToLevel(profileOf([HANDLE], column), level))[1],
        );
        expect(stacks(result).slice(1)).toEqual(alone);
        expect(alone).not.toContain('');
      }),
    );
  });

  test('a folded profile folds to itself, as one that was exported and is opened again', () => {
    fc.assert(
      fc.property(anyStacks, (columns) => {
        const once = foldToLevel(profileOf([HANDLE], ...columns), 'javascript');
        expect(stacks(foldToLevel(once, 'javascript'))).toEqual(stacks(once));
      }),
    );
  });

  test('a profile with all kinds gets no rows by folding, and the same stacks', () => {
    fc.assert(
      fc.property(anyStacks, fc.constantFrom('javascript', 'own'), (columns, level) => {
        const profile = profileOf([HANDLE], ...columns);
        const whole = withKinds(profile);
        checkProfile(whole);
        // Found with one sample of each kind; the rows are those of all.
        const { strings, funcs, frames } = foldToLevel(profile, 'own');
        expect({ ...profile, strings, funcs, frames }).toEqual(whole);
        const result = foldToLevel(whole, level);
        expect(result.funcs).toEqual(whole.funcs);
        expect(result.frames).toEqual(whole.frames);
        expect(stacks(result)).toEqual(stacks(foldToLevel(profile, level)));
      }),
    );
  });
});
