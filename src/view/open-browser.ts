import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Environment, findCallerEnvironment } from '../system/accounts/caller-environment.ts';
import { findLoginUser } from '../system/accounts/login-user.ts';
import { chooseUser } from '../system/accounts/run-as.ts';
import { type BrowserCommand, browserCommands } from './browser-command.ts';

/** The user whose browser shows the page and who else may ask the server: whoever called sudo, if anybody. */
export type Viewer = {
  /** User to start programs as; null: that of this process. */
  readonly change: { readonly uid: number; readonly gid: number } | null;
  /** All of that user's environment. */
  readonly env: Environment;
  /** This process runs as root and nobody called sudo: a browser is not to be root. */
  readonly isRoot: boolean;
};

export function findViewer(): Viewer {
  const { change, env } = chooseUser({});
  if (change === null) {
    return { change, env: process.env, isRoot: process.geteuid?.() === 0 };
  }
  const caller = findCallerEnvironment(process.env, process.ppid);
  if (caller === null) {
    return { change, env: { ...process.env, ...env, ...desktopOf(change.uid) }, isRoot: false };
  }
  // What is wrong in our own environment is right in theirs.
  const identity = Object.entries(env).filter(([, value]) => value !== undefined);
  return { change, env: { ...caller, ...Object.fromEntries(identity) }, isRoot: false };
}

/**
 * Users whose browsers the server answers: root, this process's and the one who called sudo; of a
 * root by other ways, su for one, the user who logged in.
 */
export function usersOf({ change, isRoot }: Viewer): number[] {
  const users = [0, process.geteuid?.() ?? 0];
  if (change !== null) users.push(change.uid);
  const login = isRoot ? findLoginUser() : null;
  if (login !== null) users.push(login);
  return users;
}

/**
 * Hands the address to the person's browser, as the invoking user and never as root. Resolves to
 * why that did not work, null where a program for it runs; calls `onFailure` where that fails later.
 */
export async function openBrowser(
  url: string,
  viewer: Viewer,
  onFailure: (problem: string) => void,
): Promise<string | null> {
  if (viewer.isRoot) return 'a browser is not started as root';
  const commands = browserCommands(url, viewer.env);
  if (commands.length === 0) return 'no desktop was found';
  let problem = '';
  for (const command of commands) {
    const error = await start(command, viewer, onFailure);
    if (error === null) return null;
    const why = error.code === 'ENOENT' ? `there is no ${command[0]}` : error.message;
    problem += `${problem && ', '}${why}`;
  }
  return problem;
}

function start(
  [program, ...args]: BrowserCommand,
  { change, env }: Viewer,
  onFailure: (problem: string) => void,
): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      detached: true,
      stdio: 'ignore',
      cwd: '/',
      env: { ...env },
      ...(change !== null && { uid: change.uid, gid: change.gid }),
    });
    child.once('error', resolve);
    child.once('spawn', () => {
      // The browser may outlive the command.
      child.unref();
      resolve(null);
    });
    child.once('exit', (status) => {
      if (status !== null && status > 0) onFailure(`${program} ended with status ${status}`);
    });
  });
}

/** Variables by which a user's desktop is reached, which sudo dropped. */
function desktopOf(uid: number): Environment {
  const runtime = `/run/user/${uid}`;
  if (!existsSync(runtime)) return {};
  return {
    XDG_RUNTIME_DIR: runtime,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${runtime}/bus`,
  };
}
