import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CommandSpec } from '../../native/types.ts';
import type { Session } from '../../register/session.cts';
import { ownLifeMark } from '../processes/life-mark.ts';
import { packageFile } from '../version.ts';
import { bootFiles } from './boot-file.ts';
import { withVariable } from './command-environment.ts';
import type { NodeCommand } from './node-command.ts';

/** Files of ours that a program loads, and the owner of the second one. */
export type Preload = Pick<Session, 'boot' | 'program' | 'owner'>;

/** Nodes from here on have what the preload needs. */
const LEAST_MAJOR = 18;

/**
 * The preload that `--require` adds to a Node; null where the target's user may not read it, since Node
 * ends where it can't load a preload. What root starts may start Node as any user (gosu, su, setpriv).
 */
export function preloadFor(
  { user }: CommandSpec,
  { at }: NodeCommand,
  major: number,
  boots: Iterable<string> = bootFiles(),
): Preload | null {
  if (major < LEAST_MAJOR) return null;
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
  for (const boot of boots) {
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
 * The environment with NODE_OPTIONS that load `boot`, behind V8's `flags`, and the session that it finds there and
 * takes out of both. `--require=FILE` in one word is not taken by Node 8, which a command may start as well.
 */
export function withSession(
  env: readonly string[],
  preload: Preload,
  flags: readonly string[],
  recording: Pick<Session, 'socket' | 'recording'>,
): string[] {
  const earlier = env.findLast((entry) => entry.startsWith(OPTIONS))?.slice(OPTIONS.length);
  const own = [...flags, '--require', quote(preload.boot)].join(' ');
  const words = earlier === undefined ? own : ` ${own}`;
  const recorder = ownLifeMark();
  const session: Session = {
    ...preload,
    words,
    ...(recorder !== null && { recorder }),
    ...recording,
  };
  const options = withVariable(env, 'NODE_OPTIONS', `${earlier ?? ''}${words}`);
  return withVariable(options, 'PERF_TS_SESSION', JSON.stringify(session));
}

const OPTIONS = 'NODE_OPTIONS=';

/** NODE_OPTIONS is split at spaces; within double quotes they stand for themselves. */
function quote(path: string): string {
  return /[\s"\\]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path;
}
