// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.
const fs = require('node:fs') as typeof import('node:fs');
const childProcess = require('node:child_process') as unknown as ChildProcessExports;

type AnyFunction = (...args: unknown[]) => unknown;
type ChildProcessExports = Record<'spawnSync' | 'execFileSync' | 'execSync', AnyFunction> & {
  ChildProcess: { prototype: { spawn: AnyFunction } };
};
type Spawned = { args?: readonly unknown[]; envPairs?: string[]; uid?: number };
type Options = { env?: Record<string, string | undefined>; uid?: number };

/** Under these options Node reads only what it is allowed to, and ends where a preload is not. */
const RESTRICTING = /(?:^|[\s=])--(?:experimental[-_])?(?:permission|policy)\b/;

/** This preload as it stands in NODE_OPTIONS, by whatever links its path leads here. */
const PRELOAD = /(?:^|\s+)--require=(?:"[^"]*|\S*)\/register\/preload\.cjs"?(?=\s|$)/g;

/**
 * Takes the preload out of NODE_OPTIONS of the children that may not read it, and would not start:
 * their command line restricts what Node reads, or they run as another user.
 */
exports.watchChildren = (): void => {
  const { prototype } = childProcess.ChildProcess;
  prototype.spawn = new Proxy(prototype.spawn, {
    apply: (target, self, args) => {
      const spawned = args[0] as Spawned | undefined;
      const { args: words = [], envPairs } = spawned ?? {};
      const options = envPairs?.filter((pair) => pair.startsWith('NODE_OPTIONS=')) ?? [];
      if (
        spawned !== undefined &&
        envPairs !== undefined &&
        isUnreadable([words, options, spawned])
      ) {
        spawned.envPairs = envPairs.map((pair) => (options.includes(pair) ? without(pair) : pair));
      }
      return Reflect.apply(target, self, args);
    },
  });
  for (const name of ['spawnSync', 'execFileSync', 'execSync'] as const) {
    childProcess[name] = new Proxy(childProcess[name], {
      apply: (target, self, args) => {
        const { NODE_OPTIONS } = process.env;
        if (NODE_OPTIONS === undefined || !isUnreadable(args)) {
          return Reflect.apply(target, self, args);
        }
        // The call is over before anything else may read the environment.
        process.env.NODE_OPTIONS = without(NODE_OPTIONS);
        try {
          return Reflect.apply(target, self, args.map(withoutIn));
        } finally {
          process.env.NODE_OPTIONS = NODE_OPTIONS;
        }
      },
    });
  }
};

/** Whether what a function of `node:child_process` was given means that the preload is out of reach. */
function isUnreadable(given: readonly unknown[]): boolean {
  const user = process.geteuid?.();
  const isOfOther = given.some((arg) => {
    const { uid } = (arg ?? {}) as Options;
    return typeof uid === 'number' && uid !== user;
  });
  return isOfOther || isRestricting(given) || !isReadable();
}

/** False in a program that has given up its rights since it started. */
function isReadable(): boolean {
  try {
    fs.accessSync(__filename, fs.constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether the words of a command, a line for a shell or NODE_OPTIONS restrict Node. */
function isRestricting(words: readonly unknown[]): boolean {
  return words.some((word) =>
    Array.isArray(word) ? isRestricting(word) : typeof word === 'string' && RESTRICTING.test(word),
  );
}

/** Options with an environment of their own get a copy of it; all else stays. */
function withoutIn(arg: unknown): unknown {
  const { env } = (arg ?? {}) as Options;
  if (typeof env?.NODE_OPTIONS !== 'string') return arg;
  return { ...(arg as Options), env: { ...env, NODE_OPTIONS: without(env.NODE_OPTIONS) } };
}

function without(text: string): string {
  return text.replace(PRELOAD, '');
}

export declare function watchChildren(): void;
