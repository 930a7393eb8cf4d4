import { isRootFunc } from '../../profile/analysis/stacks/cut-stacks.ts';
import { isUnnamed } from '../../profile/func-table.ts';
import { shortName } from '../../profile/short-name.ts';
import { isSystemLibrary } from './library-kind.ts';

/**
 * The part that a function has in starting a program or thread, between the entry and what the author
 * wrote. It counts at the root of a stack only.
 *
 *     C      _start  __libc_start_main  __libc_start_call_main  main
 *     C++    clone3  start_thread  std::thread::_State_impl<…>::_M_run  operator()  __invoke<…>  work
 *     Rust   _start  __libc_start_main  main  std::rt::lang_start  …  FnOnce::call_once  app::main
 *     Go     runtime.goexit  runtime.main  main.main
 */
export type StartUp =
  /** A function of the C library or of Go in which programs and threads begin. */
  | 'entry'
  /** Steps of the standard libraries between an entry and a thread's function. */
  | 'C++'
  | 'Rust'
  /** The author's, unless it leads to a step of Rust's. */
  | 'main'
  /** The author's lambda, unless it leads to a step of C++. */
  | 'callable';

const OF_C_AND_GO = /^(?:__libc_init_first|runtime\.main)(?:@.*)?$/;

/** Names in libstdc++ and libc++; inlined calls have names without `std::`. */
const OF_CPP =
  /^(?:execute_native_thread_routine\w*$|std::thread::_(?:State_impl|Invoker|Impl)<|(?:std::)?(?:_M_invoke|__invoke|__invoke_impl|invoke)<|std::__1::(?:__thread_proxy|__thread_execute|__invoke)\b)/;

/** Names in the legacy and in the present mangling. */
const OF_RUST = new RegExp(
  `^(?:${[
    'std::rt::lang_start|__rust_try|std::panic(?:king)?::(?:try|catch_unwind|do_call)\\b',
    'std::(?:sys|sys_common)::backtrace::__rust_begin_short_backtrace',
    '<?std::sys::.*thread_start$|std::thread::(?:Builder|lifecycle)::spawn_unchecked',
    'core::ops::function::(?:FnOnce::call_once|impls::)',
    '<.* as core::ops::function::Fn(?:Once|Mut)?<.*>>::call(?:_once|_mut)?',
  ].join('|')})`,
);

/** `dsoName`: empty for a function in no file. */
export function startUpOf(name: string, dsoName: string): StartUp | null {
  if (name === 'main') return 'main';
  if (name === 'operator()') return 'callable';
  if (isRootFunc(name) || OF_C_AND_GO.test(name)) return 'entry';
  if (isUnnamed(name) && isSystemLibrary(dsoName)) return 'entry';
  if (OF_RUST.test(name)) return 'Rust';
  return OF_CPP.test(shortName(name)) ? 'C++' : null;
}
