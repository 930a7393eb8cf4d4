import { spawn } from 'node:child_process';
import { chooseUser } from '../session/launch/run-as.ts';

/** Whose browser shows the page, and who else may ask the server: whoever called sudo, if anybody. */
export type Viewer = {
  /** To start programs as; null: as this process is. */
  readonly change: { readonly uid: number; readonly gid: number } | null;
  readonly env: Readonly<Record<string, string>>;
  /** This process runs as root and nobody called sudo: a browser is not to be root. */
  readonly isRoot: boolean;
};

export function findViewer(): Viewer {
  const { change, env } = chooseUser({});
  return { change, env, isRoot: change === null && process.geteuid?.() === 0 };
}

/** Users whose browsers the server answers: root, this process's and the one who called sudo. */
export function usersOf({ change }: Viewer): number[] {
  return [0, process.geteuid?.() ?? 0, ...(change === null ? [] : [change.uid])];
}

/**
 * Hands the address to the desktop's browser, as the invoking user and never as root. Resolves to
 * why that did not work, null where it did.
 */
export function openBrowser(url: string, viewer: Viewer): Promise<string | null> {
  if (viewer.isRoot) return Promise.resolve('a browser is not started as root');
  const { change } = viewer;
  return new Promise((resolve) => {
    const child = spawn('xdg-open', [url], {
      detached: true,
      stdio: 'ignore',
      cwd: '/',
      env: { ...process.env, ...viewer.env, ...(change !== null && desktopOf(change.uid)) },
      ...(change !== null && { uid: change.uid, gid: change.gid }),
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ENOENT' ? 'there is no xdg-open' : error.message);
    });
    child.once('spawn', () => {
      // The browser may outlive the command.
      child.unref();
      resolve(null);
    });
  });
}

/** Where a user's desktop is reached; sudo drops these. */
function desktopOf(uid: number): Record<string, string> {
  const runtime = `/run/user/${uid}`;
  return { XDG_RUNTIME_DIR: runtime, DBUS_SESSION_BUS_ADDRESS: `unix:path=${runtime}/bus` };
}
