import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CommandSpec } from '../../native/types.ts';
import type { Session } from '../../register/session.cts';
import { ownLifeMark } from '../processes/life-mark.ts';
import { packageFile } from '../version.ts';
import { bootFiles } from './boot-file.ts';
import { variable, withVariable } from './command-environment.ts';
import type { NodeCommand } from './node-command.ts';

/** Files of ours that a program loads, and the owner of the second one. */
export type Preload = Pick<Session, 'boot' | 'program' | 'owner'>;

/** Nodes from here on have what the preload needs. */
const LEAST_MAJOR = 18;

/** The preload of a command's Node. */
export type ChosenPreload = {
  /** Null where there is none. */
  readonly preload: Preload | null;
  /** Whether the command restricts what its Node may read. */
  readonly isRestricted: boolean;
  /** Why this Node, run like this, would not take it; null where it would. */
  readonly obstacle: string | null;
};

/** Whether the Node that a command runs gets the preload. */
export function choosePreload(
  command: CommandSpec,
  found: NodeCommand,
  { version, major }: { readonly version: string | null; readonly major: number },
): ChosenPreload {
  const isRestricted = restrictsNode(command, found);
  const obstacle = isRestricted
    ? 'the command restricts what Node may read'
    : major < LEAST_MAJOR
      ? `Node ${version} does not run perf-ts's preload`
      : null;
  const isTaken = obstacle === null && !found.losesOptions;
  return { preload: isTaken ? findPreload(command, found) : null, isRestricted, obstacle };
}

/**
 * Options of Node under which a program reads only what it is allowed to, and would end where the
 * preload is not.
 */
const RESTRICTING = /(?:^|[\s=])--(?:experimental[-_])?(?:permission|policy)\b/;
function restrictsNode({ argv, env }: CommandSpec, { text }: NodeCommand): boolean {
  return [...argv, variable(env, 'NODE_OPTIONS'), text].some((words) => RESTRICTING.test(words));
}

/**
 * The preload that `--require` adds to a Node; null where the target's user may not read it, since Node
 * ends where it can't load a preload. What root starts may start Node as any user (gosu, su, setpriv).
 */
function findPreload({ user }: CommandSpec, { at }: NodeCommand): Preload | null {
  const isOfRoot = (user?.uid ?? process.geteuid?.()) === 0;
  const isOfOthers = isOfRoot ? at !== 0 : user !== undefined;
  const isReadable = (path: string): boolean => {
    try {
      accessSync(path, constants.R_OK);
      return !isOfOthers || isForAll(path);
    } catch {
      return false;
    }
  };
  const program = packageFile('dist/register/recorded.cjs');
  if (!isReadable(program)) return null;
  for (const boot of bootFiles()) {
    if (isReadable(boot)) return { boot, program, owner: statSync(program).uid };
  }
  return null;
}

/** Whether all users may read a file. */
function isForAll(path: string): boolean {
  if ((statSync(path).mode & 0o004) === 0) return false;
  for (let at = dirname(path); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/**
 * The environment with V8's `flags` ahead of NODE_OPTIONS. With a session they also load its `boot`, which takes the
 * session and its own words out of the environment. `--require=FILE` in one word is not taken by Node 8, which a
 * command may start as well.
 */
export function withNodeOptions(
  env: readonly string[],
  flags: readonly string[],
  session: (Preload & Pick<Session, 'socket' | 'recording'>) | null,
): string[] {
  const own = [...flags, ...(session === null ? [] : [optionsOf(session)])].join(' ');
  if (own === '') return [...env];
  const earlier = env.findLast((entry) => entry.startsWith(OPTIONS))?.slice(OPTIONS.length);
  // The preload tells an empty variable from none by this space, and comes ahead of the user's own.
  const isNone = session === null ? !earlier : earlier === undefined;
  const words = isNone ? own : `${own} `;
  const options = withVariable(env, 'NODE_OPTIONS', `${words}${earlier ?? ''}`);
  if (session === null) return options;
  const recorder = ownLifeMark();
  const sent: Session = { ...session, words, ...(recorder !== null && { recorder }) };
  return withVariable(options, 'PERF_TS_SESSION', JSON.stringify(sent));
}

/** The words by which Node loads the first file of a preload. */
export function optionsOf({ boot }: Pick<Preload, 'boot'>): string {
  return `--require ${quote(boot)}`;
}

/** Whether a command has a preload in its environment. */
export function hasPreload({ env }: Pick<CommandSpec, 'env'>): boolean {
  return variable(env, 'PERF_TS_SESSION') !== '';
}

const OPTIONS = 'NODE_OPTIONS=';

/** NODE_OPTIONS is split at spaces; within double quotes they stand for themselves. */
function quote(path: string): string {
  return /[\s"\\]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path;
}
