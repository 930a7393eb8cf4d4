import type { Dso, FuncCategory } from '../../profile/types.ts';
import { pathInBundle } from './script-path.ts';

/** The owner of a script's code, by the path or URL that V8 was given. */
export function categoryOfScript(file: string): FuncCategory {
  if (file.startsWith('node:') || file.startsWith('internal/')) return 'node internal';
  // The bundler's own runtime: `webpack://shop/webpack/bootstrap`.
  if (pathInBundle(file)?.startsWith('webpack/')) return 'dependency';
  return file.includes('/node_modules/') ? 'dependency' : 'user code';
}

/** V8's own code, embedded in the binary (`Builtins_`) or made at run time (`Builtin:` …; `RegExp.` since V8 13). */
const BUILTIN = /^(?:Builtins_|Builtin:|BytecodeHandler:|Stub:|RegExp[:.])/;
/** Templates have their return type in front: `void v8::internal::…`. */
const V8_CPP = /^(?:(?:void|bool|int|unsigned \w+) )?(?:v8|cppgc|heap::base)::/;
/** V8's own profiler has one function for all of it. */
const V8_COLLECTOR = '(garbage collector)';
const NODE_CPP = /^(?:(?:void|bool|int) )?node::/;

/** The owner of a function that is not JavaScript. */
export function categoryOfNative(name: string, dso: Dso | undefined): FuncCategory {
  if (dso?.kind === 'kernel' || dso?.kind === 'module') return 'kernel';
  if (BUILTIN.test(name) || V8_CPP.test(name) || name === V8_COLLECTOR) return 'V8';
  return NODE_CPP.test(name) ? 'node internal' : 'native';
}
