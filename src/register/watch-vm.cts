// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.
const { unseen } = require('./unseen.cjs') as typeof import('./unseen.cts');
const vm = require('node:vm') as typeof import('node:vm') & { SourceTextModule?: object };

/** Gets the file name and the code of what is compiled. */
type See = (filename: unknown, code: unknown) => void;
type Function = (...args: unknown[]) => unknown;
type Constructor = new (...args: unknown[]) => object;

/**
 * Watches what is compiled through `node:vm`, as test runners do (vitest, Jest). Nothing of ours is
 * on the stack when the code runs, and the program finds the functions and classes of `vm` as they
 * were: `runIn…Context` and `new vm.Script` all construct the base class of `vm.Script`, so that
 * only this base is replaced.
 */
exports.watchVm = (see: See): void => {
  watchBase(vm.Script, ([code, filename]) => see(filename, code));
  if (vm.SourceTextModule !== undefined) {
    watchBase(vm.SourceTextModule, ([options]) => {
      const { identifier, sourceText } = options as Record<string, unknown>;
      see(identifier, sourceText);
    });
  }
  const compileFunction = vm.compileFunction as Function;
  (vm as { compileFunction: unknown }).compileFunction = new Proxy(compileFunction, {
    apply: (target, self, args) => {
      see((args[2] as { filename?: unknown } | undefined)?.filename, args[0]);
      return unseen(__filename, () => Reflect.apply(target, self, args));
    },
  });
};

/** `super(…)` looks for the base class when it is called. */
function watchBase(of: object, seeArguments: (args: readonly unknown[]) => void): void {
  const base = Object.getPrototypeOf(of) as Constructor;
  const watched = new Proxy(base, {
    construct: (target, args, newTarget) => {
      seeArguments(args);
      return unseen(__filename, () => Reflect.construct(target, args, newTarget) as object);
    },
  });
  Object.setPrototypeOf(of, watched);
}

export declare function watchVm(see: See): void;
