// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.
const nodeModule = (require('./node-module.cjs') as typeof import('./node-module.cts'))
  .nodeModule as ModuleExports;
const vm = require('node:vm') as typeof import('node:vm');

type Compile = (this: unknown, content: string, filename: string, ...rest: unknown[]) => unknown;
type See = (filename: unknown, code: unknown) => void;
type ModuleExports = {
  prototype: { _compile: Compile };
  _cache: object;
  _extensions: Readonly<Record<string, unknown>>;
};
type Trap = (target: Compile, self: unknown, args: [string, string]) => unknown;

/** Stack cleaners leave out such files, and Node prints their lines in grey. */
const FILE = 'node:internal/perf-ts/register';

/**
 * Watches `Module._compile`, which gets what ts-node, tsx, Babel's and SWC's hooks made of a CommonJS
 * file. Until a loader has changed how files are loaded, Node's own function stands there, and
 * nothing of ours is on a stack; then it is one frame, of the file above.
 *
 * `mayBeLoaded`: a loader may be there already.
 */
exports.watchCommonJs = (see: See, mayBeLoaded: boolean): void => {
  const { _cache, _extensions } = nodeModule;
  if (mayBeLoaded) {
    watchCompile(see);
    return;
  }
  const before = Object.entries(_extensions);
  let isWatched = false;
  // Node looks into the cache for each module that it is about to load, and finds nothing there.
  const behindCache = new Proxy(Object.create(null) as object, {
    get: () => {
      if (isWatched || !hasChanged(before, _extensions)) return undefined;
      isWatched = true;
      watchCompile(see);
      return undefined;
    },
  });
  if (Object.getPrototypeOf(_cache) === null) Object.setPrototypeOf(_cache, behindCache);
};

function hasChanged(before: [string, unknown][], now: Readonly<Record<string, unknown>>): boolean {
  return (
    Object.keys(now).length !== before.length ||
    before.some(([suffix, handler]) => now[suffix] !== handler)
  );
}

function watchCompile(see: See): void {
  const { prototype } = nodeModule;
  const apply = trapOf(see) as ProxyHandler<Compile>['apply'] & {};
  prototype._compile = new Proxy(prototype._compile, { apply });
}

/** Calls the original behind `see`, under the name of a file that readers of stacks skip. */
function trapOf(see: See): Trap {
  const make = (noteIt: See, apply: typeof Reflect.apply): Trap =>
    function _compile(target, self, args) {
      noteIt(args[1], args[0]);
      return apply(target, self, args);
    };
  const inner = vm.runInThisContext(`(${make})`, { filename: FILE }) as typeof make;
  return inner(see, Reflect.apply);
}

export declare function watchCommonJs(see: See, mayBeLoaded: boolean): void;
