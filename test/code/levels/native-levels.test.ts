import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldToLevel, withKinds } from '../../../src/code/levels/fold-to-level.ts';
import { levelsOf } from '../../../src/code/levels/levels-of.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';
import { drawStacks, stackNames } from '../../helpers/stack-names.ts';

const LIBC = '@libc.so.6';
const KERNEL = '@[kernel.kallsyms]';
const STDCPP = '@libstdc++.so.6.0.30';
const START = ['_start', `__libc_start_main@@GLIBC_2.34${LIBC}`, `__libc_start_call_main${LIBC}`];
const THREAD = [`clone3${LIBC}`, `start_thread${LIBC}`];
const WRITE = [
  `write${LIBC}`,
  `entry_SYSCALL_64_after_hwframe${KERNEL}`,
  `__x64_sys_write${KERNEL}`,
];
const FAULT = [`asm_exc_page_fault${KERNEL}`, `clear_page_erms${KERNEL}`];

function folded(level: 'main' | 'own', ...columns: readonly (readonly string[])[]): string[] {
  const profile = foldToLevel(profileFromText(drawStacks(...columns)), level);
  checkProfile(profile);
  return stackNames(profile);
}

describe('the level main', () => {
  test('a program of C begins with main, its threads with their functions', () => {
    expect(
      folded('main', [...START, 'main', 'work', ...WRITE], [...THREAD, 'serve', `read${LIBC}`]),
    ).toEqual([
      'main > work > write > entry_SYSCALL_64_after_hwframe > __x64_sys_write',
      'serve > read',
    ]);
  });

  test('threads of C++ begin with their function, also where the way to it was inlined', () => {
    const run = 'std::thread::_State_impl<std::thread::_Invoker<std::tuple<F> > >::_M_run()';
    expect(
      folded(
        'main',
        [...THREAD, `[unknown]${STDCPP}`, run, 'std::__invoke_impl<void, F>', 'W::run(int)'],
        [...THREAD, `[unknown]${STDCPP}`, run, 'operator()', '__invoke<F>', 'operator()', 'work'],
        [...START, 'main', 'std::__invoke<F>', 'work'],
      ),
    ).toEqual(['W::run(int)', 'operator() > work', 'main > std::__invoke<F> > work']);
  });

  test('programs and threads of Rust begin with the functions of their author', () => {
    const caught = ['std::panic::catch_unwind<F>', 'std::panicking::catch_unwind::do_call<F>'];
    expect(
      folded(
        'main',
        [
          ...START,
          'main',
          'std::rt::lang_start_internal',
          ...caught,
          '<&dyn core::ops::function::Fn<(), Output = i32> as core::ops::function::FnOnce<()>>::call_once',
          'std::rt::lang_start::{{closure}}',
          'std::sys::backtrace::__rust_begin_short_backtrace',
          'core::ops::function::FnOnce::call_once',
          'app::main',
        ],
        [
          ...THREAD,
          '<std::sys::thread::unix::Thread>::new::thread_start',
          'core::ops::function::FnOnce::call_once{{vtable.shim}}',
          'std::thread::lifecycle::spawn_unchecked::{{closure}}',
          ...caught,
          'app::main::{{closure}}',
        ],
      ),
    ).toEqual(['app::main', 'app::main::{{closure}}']);
  });

  test('a program of Go begins with main.main, goroutines with their functions', () => {
    expect(
      folded(
        'main',
        ['runtime.goexit.abi0', 'runtime.main', 'main.main', 'main.work'],
        ['runtime.goexit.abi0', 'net/http.(*conn).serve'],
        ['runtime.mstart.abi0', 'runtime.schedule'],
      ),
    ).toEqual(['main.main > main.work', 'net/http.(*conn).serve', 'runtime.schedule']);
  });

  test('no sample loses its innermost function, and the kernel stays below what entered it', () => {
    expect(folded('main', START, [...THREAD, ...FAULT], [...START, 'main'])).toEqual([
      '__libc_start_call_main',
      'start_thread > asm_exc_page_fault > clear_page_erms',
      'main',
    ]);
  });

  test('functions of these names that are not at the root stay', () => {
    expect(folded('main', ['main', `clone3${LIBC}`], ['[truncated]@', 'main', 'main'])).toEqual([
      'main > clone3',
      '[truncated] > main > main',
    ]);
  });
});

describe('the level own of a native program', () => {
  test('runs of libraries and of the kernel are kinds below the functions of the executable', () => {
    expect(
      folded(
        'own',
        [...START, 'main', 'work', ...WRITE],
        [...START, 'main', 'touch', ...FAULT],
        [...START, 'main', `qsort${LIBC}`, `msort${LIBC}`, 'compare'],
        [...START, 'main', 'inflate@libz.so.1', `memcpy${LIBC}`],
      ),
    ).toEqual([
      'main > work > (libc) > (kernel: write)',
      'main > touch > (kernel: page fault)',
      'main > (libc) > compare',
      'main > (libz)',
    ]);
  });

  test('a stack without an own function is the library or the kernel alone', () => {
    expect(
      folded(
        'own',
        ['_start@ld-linux-x86-64.so.2', '_dl_start@ld-linux-x86-64.so.2', ...FAULT],
        [...THREAD, `__x64_sys_exit${KERNEL}`],
        [`ret_from_fork_asm${KERNEL}`, `kthread${KERNEL}`, `worker_thread${KERNEL}`],
        [`do_idle${KERNEL}`, `pv_native_safe_halt${KERNEL}`],
        START.slice(0, 1),
      ),
    ).toEqual([
      '(dynamic loader) > (kernel: page fault)',
      '(libc) > (kernel: exit)',
      '(kernel: background thread)',
      '(kernel: idle)',
      '_start',
    ]);
  });

  test('the standard library that was compiled into the program is a kind', () => {
    expect(
      folded(
        'own',
        ['app::main', 'alloc::slice::sort_by', 'core::slice::sort::stable::sort', 'app::less'],
        ['main', 'void std::sort<int*>(int*, int*)'],
        ['main.main', 'runtime.mallocgc', 'runtime.gcStart'],
      ),
    ).toEqual([
      'app::main > (standard library) > app::less',
      'main > (standard library)',
      'main.main > (Go runtime)',
    ]);
  });

  test('an executable without symbols is one frame', () => {
    expect(
      folded('own', ['[unknown]@tsc', '[unknown]@tsc', `read${LIBC}`, '[unknown]@tsc']),
    ).toEqual(['(tsc) > (libc) > (tsc)']);
  });

  test('a wait keeps its reason, and frames without a file stay', () => {
    const wait = '[S sleeping in hrtimer_nanosleep]@[kernel.kallsyms]';
    expect(
      folded(
        'own',
        ['main', `nanosleep${LIBC}`, `__x64_sys_nanosleep${KERNEL}`, wait],
        ['f@', 'main'],
      ),
    ).toEqual([
      'main > (libc) > (kernel: nanosleep) > [S sleeping in hrtimer_nanosleep]',
      'f > main',
    ]);
  });
});

const CELLS = [
  ...START,
  ...THREAD,
  ...WRITE,
  ...FAULT,
  'main',
  'operator()',
  'std::__invoke<F>',
  'std::rt::lang_start',
  'work',
  '[unknown]@',
  `[unknown]${STDCPP}`,
];

test('each sample keeps a frame at every level, and selfs of main are those of all', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.constantFrom(...CELLS), { minLength: 1, maxLength: 8 }), {
        minLength: 1,
        maxLength: 5,
      }),
      (columns) => {
        const profile = withKinds(profileFromText(drawStacks(...columns)));
        checkProfile(profile);
        const leafOf = (text: string) => text.split(' > ').at(-1);
        const main = foldToLevel(profile, 'main');
        expect(stackNames(main).map(leafOf)).toEqual(stackNames(profile).map(leafOf));
        const own = foldToLevel(profile, 'own');
        checkProfile(own);
        expect(own.strings).toEqual(profile.strings);
        expect(stackNames(own).every((text) => text !== '')).toBe(true);
      },
    ),
  );
});

test('levels that differ are those of the recording', () => {
  const of = (...columns: string[][]) => levelsOf(profileFromText(drawStacks(...columns)));
  expect(of([...START, 'main'])).toEqual(['all', 'main', 'own']);
  expect(of(['main', `malloc${LIBC}`])).toEqual(['all', 'main', 'own']);
  expect(of(['main@', 'work@'])).toEqual(['all']);
  expect(of([`vfs_read${KERNEL}`])).toEqual(['all']);
});
