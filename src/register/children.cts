// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.
const { fs } = require('./node-fs.cjs') as typeof import('./node-fs.cts');

type AnyFunction = (...args: unknown[]) => unknown;
/** Functions under `node:child_process`, which takes 3 ms to load itself, and which few programs need. */
type Bindings = {
  binding(name: 'process_wrap'): { Process: { prototype: { spawn: AnyFunction } } };
  binding(name: 'spawn_sync'): { spawn: AnyFunction };
};
/** Options of `spawn` up to Node 22, and of `spawnSync`; since 24 `spawn` gets these one after the other. */
type Spawned = { args?: unknown; envPairs?: unknown; uid?: unknown };

/** Under these options Node reads only what it is allowed to, and ends where a preload is not. */
const RESTRICTING = /(?:^|[\s=])--(?:experimental[-_])?(?:permission|policy)\b/;

/** This preload as it stands in NODE_OPTIONS, by whatever links its path leads here. */
const PRELOAD = /(?:^|\s+)--require=(?:"[^"]*|\S*)\/register\/preload\.cjs"?(?=\s|$)/g;

/** Index of the uid among the arguments of `spawn` since Node 24. */
const UID_ARGUMENT = 6;

/**
 * Takes the preload out of NODE_OPTIONS of the children that may not read it, and would not start:
 * their command line restricts what Node reads, or they run as another user.
 */
exports.watchChildren = (): void => {
  const bindings = process as unknown as Bindings;
  const { prototype } = bindings.binding('process_wrap').Process;
  prototype.spawn = watched(prototype.spawn);
  const sync = bindings.binding('spawn_sync');
  sync.spawn = watched(sync.spawn);
};

function watched(spawn: AnyFunction): AnyFunction {
  return new Proxy(spawn, {
    apply: (target, self, args) => Reflect.apply(target, self, readable(args)),
  });
}

/** The arguments of `spawn`, without the preload where it is out of reach. */
function readable(args: readonly unknown[]): readonly unknown[] {
  const [first] = args;
  if (typeof first === 'object' && first !== null) {
    const { args: words, envPairs, uid } = first as Spawned;
    if (!isEnvironment(envPairs) || !isUnreadable(words, envPairs, uid)) return args;
    return [{ ...first, envPairs: envPairs.map(without) }, ...args.slice(1)];
  }
  const pairs = args.find(isEnvironment);
  const words = args.find((arg) => Array.isArray(arg) && arg !== pairs);
  if (pairs === undefined || !isUnreadable(words, pairs, args[UID_ARGUMENT])) return args;
  return args.map((arg) => (arg === pairs ? pairs.map(without) : arg));
}

/** `NAME=VALUE` each, NODE_OPTIONS with the preload among them. */
function isEnvironment(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.some(
      (pair) =>
        typeof pair === 'string' && pair.startsWith('NODE_OPTIONS=') && without(pair) !== pair,
    )
  );
}

function isUnreadable(words: unknown, pairs: readonly string[], uid: unknown): boolean {
  const options = pairs.filter((pair) => pair.startsWith('NODE_OPTIONS='));
  const given = [...(Array.isArray(words) ? words : []), ...options];
  const isOfOther = typeof uid === 'number' && uid > 0 && uid !== process.geteuid?.();
  return isOfOther || given.some((word) => RESTRICTING.test(`${word}`)) || !isReadable();
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

function without(pair: string): string {
  return pair.startsWith('NODE_OPTIONS=') ? pair.replace(PRELOAD, '') : pair;
}

export declare function watchChildren(): void;
