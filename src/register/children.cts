// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.
import type { Session } from './session.cts';

const { fs } = require('./node-fs.cjs') as typeof import('./node-fs.cts');
const { unseen } = require('./unseen.cjs') as typeof import('./unseen.cts');
const { withOptionsInShell } = require('./shell-text.cjs') as typeof import('./shell-text.cts');

type AnyFunction = (...args: unknown[]) => unknown;
/** Functions under `node:child_process`, which takes 3 ms to load itself, and which few programs need. */
type Binding = {
  (name: 'process_wrap'): { Process: { prototype: { spawn: AnyFunction } } };
  (name: 'spawn_sync'): { spawn: AnyFunction };
};
/** Options of `spawn` up to Node 22, and of `spawnSync`; since 24 `spawn` gets these one after the other. */
type Spawned = { readonly args?: unknown; readonly envPairs?: unknown; readonly uid?: unknown };

/** Options under which Node reads only what it is allowed to, and ends where a preload is not. */
const RESTRICTING = /(?:^|[\s=])--(?:experimental[-_])?(?:permission|policy)\b/;
const VARIABLE = 'PERF_TS_SESSION';
const OPTIONS = 'NODE_OPTIONS';

/** Places among the arguments of `spawn` since Node 24: `(file, args, cwd, envPairs, stdio, flags, uid, gid)`. */
const ARGS = 1;
const ENV_PAIRS = 3;
const UID = 6;

/**
 * Passes the recording on to the programs that this one starts, as long as it goes on: `boot` has taken it out of
 * the environment that they inherit. They have it whatever environment they are given, so that NODE_OPTIONS of
 * their own takes nothing away.
 */
exports.watchChildren = (session: Session, isRecorded: () => boolean): void => {
  const binding = bindingOf();
  const watched = (spawn: AnyFunction): AnyFunction =>
    new Proxy(spawn, {
      apply: (target, self, args) =>
        Reflect.apply(
          target,
          self,
          orChanged(args, () => isRecorded() && passedOn(session, args)),
        ),
    });
  const { prototype } = binding('process_wrap').Process;
  prototype.spawn = watched(prototype.spawn);
  const sync = binding('spawn_sync');
  sync.spawn = watched(sync.spawn);
  watchExecve(session, isRecorded);
};

/**
 * `process.binding`, below what warns of its use under --pending-deprecation: `util.deprecate`
 * derives from it.
 */
function bindingOf(): Binding {
  const { binding } = process as unknown as { binding: AnyFunction };
  const inner = Object.getPrototypeOf(binding) as AnyFunction;
  const plain = inner === Function.prototype ? binding : inner;
  return ((name: string) => Reflect.apply(plain, process, [name])) as Binding;
}

/** `process.execve` of Node 22.15 and later. */
function watchExecve(session: Session, isRecorded: () => boolean): void {
  const on = process as unknown as { execve?: AnyFunction };
  const { execve } = on;
  if (execve === undefined) return;
  const { value: _, ...shape } = Object.getOwnPropertyDescriptor(on, 'execve') ?? {};
  const watched = new Proxy(execve, {
    apply: (target, self, args: unknown[]) => {
      const given = orChanged(args, () => isRecorded() && passedByExecve(session, args));
      return unseen(__filename, () => Reflect.apply(target, self, given as unknown[]));
    },
  });
  Object.defineProperty(on, 'execve', { ...shape, value: watched });
}

function passedByExecve(session: Session, args: readonly unknown[]): unknown[] | null {
  const [file, words, env = process.env] = args;
  if (typeof env !== 'object' || env === null) return null;
  const { NODE_OPTIONS } = env as { readonly NODE_OPTIONS?: unknown };
  if (NODE_OPTIONS !== undefined && typeof NODE_OPTIONS !== 'string') return null;
  const given = withOptions(session, NODE_OPTIONS, Array.isArray(words) ? words : []);
  if (given === null) return null;
  return [file, words, { ...env, [OPTIONS]: given.options, [VARIABLE]: given.session }];
}

/** The arguments that `change` makes; as the program has given them where it changes nothing, or fails. */
const orChanged = (
  args: readonly unknown[],
  change: () => readonly unknown[] | null | false,
): readonly unknown[] => {
  try {
    return change() || args;
  } catch {
    return args;
  }
};
exports.changedArguments = orChanged;

/** The arguments of `spawn`, with the recording in the environment. */
function passedOn(session: Session, args: readonly unknown[]): readonly unknown[] | null {
  const [first] = args;
  if (typeof first === 'object' && first !== null) {
    const { args: words, envPairs, uid } = first as Spawned;
    const pairs = passedPairs(session, envPairs, words, uid);
    if (pairs === null) return null;
    return [{ ...first, args: inShell(session, words), envPairs: pairs }, ...args.slice(1)];
  }
  const pairs = passedPairs(session, args[ENV_PAIRS], args[ARGS], args[UID]);
  if (pairs === null) return null;
  const changed = [...args];
  changed[ARGS] = inShell(session, args[ARGS]);
  changed[ENV_PAIRS] = pairs;
  return changed;
}

/** The words of a child: scripts of a package set NODE_OPTIONS in the text that they give to a shell. */
const inShell = (session: Session, words: unknown): unknown =>
  Array.isArray(words) ? (withOptionsInShell(words, session.words.trim()) ?? words) : words;

/** `NAME=VALUE` each; null for a child that could not read our files, and would not start. */
function passedPairs(
  session: Session,
  pairs: unknown,
  words: unknown,
  uid: unknown,
): string[] | null {
  const isOfOther = typeof uid === 'number' && uid > 0 && uid !== process.geteuid?.();
  if (!Array.isArray(pairs) || isOfOther) return null;
  const at = pairs.findIndex((pair) => `${pair}`.startsWith(`${OPTIONS}=`));
  const options = at < 0 ? undefined : `${pairs[at]}`.slice(OPTIONS.length + 1);
  const given = withOptions(session, options, Array.isArray(words) ? words : []);
  if (given === null) return null;
  const passed = [...(pairs as string[])];
  passed[at < 0 ? passed.length : at] = `${OPTIONS}=${given.options}`;
  passed.push(`${VARIABLE}=${given.session}`);
  return passed;
}

/**
 * NODE_OPTIONS with our words ahead of the user's, and the session that states so; null where Node could not read our
 * files: under the permission model, or since this program has given up its rights.
 */
const withOptions = (
  session: Session,
  options: string | undefined,
  words: readonly unknown[],
): { readonly options: string; readonly session: string } | null => {
  if ([options, ...words].some((word) => RESTRICTING.test(`${word}`))) return null;
  if (![session.boot, session.program].every(isReadable)) return null;
  const own = session.words.trimEnd();
  const added = options === undefined ? own : `${own} `;
  return {
    options: `${added}${options ?? ''}`,
    session: JSON.stringify({ ...session, words: added }),
  };
};
exports.optionsWith = withOptions;

function isReadable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

export declare function changedArguments(
  args: readonly unknown[],
  change: () => readonly unknown[] | null | false,
): readonly unknown[];
export declare function watchChildren(session: Session, isRecorded: () => boolean): void;
export declare function optionsWith(
  session: Session,
  options: string | undefined,
  words: readonly unknown[],
): { readonly options: string; readonly session: string } | null;
