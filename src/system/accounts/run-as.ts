import { FailedError, UsageError } from '../../base/errors.ts';
import { type Text, words } from '../../base/words.ts';
import type { CommandSpec } from '../../native/types.ts';
import { USER, type UserOptions } from '../../options/user.ts';
import { type Account, type Accounts, parseId } from './accounts.ts';
import type { FileIdentity } from './file-identity.ts';
import { type Caller, findSudoCaller, thisProcess } from './sudo-caller.ts';
import { systemAccounts } from './system-accounts.ts';

/** The user that the command runs as. */
export type ChosenUser = {
  /** Whom the child becomes; null: it stays what this process is. */
  readonly change: NonNullable<CommandSpec['user']> | null;
  /** Variables of its environment that change with that: HOME, USER, LOGNAME, SHELL; undefined removes. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The caller of sudo, who owns the file; null without sudo, or when that is not known. */
  readonly owner: FileIdentity | null;
  /** One sentence for the user about each thing that is not as it would be without perf-ts. */
  readonly notes: readonly Text[];
};

/**
 * Profiling often needs root, the profiled program hardly ever does. So under sudo the command runs
 * as the user who called it, with all of that user's groups and HOME; `user` names another one,
 * `asRoot` keeps root.
 *
 * It is all or nothing: where SUDO_UID and SUDO_GID do not name an account of this machine and one
 * of its groups, the command stays root and a note states why. The account, not the environment, has
 * the last word on groups and HOME.
 */
export function chooseUser(
  options: UserOptions,
  caller: Caller = thisProcess(),
  accounts: Accounts = systemAccounts(),
): ChosenUser {
  if (options.user !== undefined && options.asRoot) {
    throw new UsageError(words`${USER.user} and ${USER.asRoot} exclude each other`);
  }
  const isRoot = caller.euid === 0;
  if (options.asRoot && !isRoot) {
    throw new FailedError(words`${USER.asRoot}: perf-ts does not run as root`, [
      'run it with sudo',
    ]);
  }
  const invoker = isRoot ? findSudoCaller(caller.env, accounts) : null;
  const owner =
    invoker?.kind === 'user'
      ? { uid: invoker.account.uid, gid: invoker.gid, groups: invoker.account.groups }
      : null;
  const unchanged = { change: null, env: {}, owner };

  if (options.user !== undefined) {
    const account = findNamed(options.user, accounts);
    if (account.uid === caller.euid) return { ...unchanged, env: identity(account), notes: [] };
    if (!isRoot) {
      throw new FailedError(
        words`${USER.user} ${options.user}: only root can run a command as someone else`,
        ['run it with sudo'],
      );
    }
    const env = { ...withoutSession(caller.env), ...identity(account) };
    return { change: becoming(account, account.gid), env, owner, notes: [] };
  }
  if (invoker === null || options.asRoot) return { ...unchanged, notes: [] };
  if (invoker.kind === 'root') {
    return { ...unchanged, notes: [`the command runs as root: ${invoker.reason}`] };
  }
  const { account, gid } = invoker;
  const note = words`the command runs as ${account.name} (uid ${account.uid}), who called sudo; ${USER.asRoot} keeps root`;
  const env = { ...withoutSudo(caller.env, account.uid), ...identity(account) };
  return { change: becoming(account, gid), env, owner, notes: [note] };
}

/** A user by name, or by uid where no name is like that. */
function findNamed(nameOrUid: string, accounts: Accounts): Account {
  const uid = parseId(nameOrUid);
  const account = accounts.byName(nameOrUid) ?? (uid === null ? null : accounts.byUid(uid));
  if (account === null)
    throw new UsageError(words`${USER.user} ${nameOrUid}: there is no such user`);
  return account;
}

function becoming(account: Account, gid: number): NonNullable<ChosenUser['change']> {
  return { uid: account.uid, gid, groups: account.groups };
}

function identity(account: Account): Record<string, string> {
  return { HOME: account.home, USER: account.name, LOGNAME: account.name, SHELL: account.shell };
}

/** Variables that lead to the session, the mail, the keys or the display of one user. */
const OF_A_SESSION =
  /^(?:XDG_|DBUS_|SUDO_|SSH_|GPG_|KRB5)|^(?:MAIL|XAUTHORITY|DISPLAY|WAYLAND_DISPLAY|ICEAUTHORITY)$/;

/** Root's environment is somebody else's with `--user`. */
function withoutSession(env: Caller['env']): Record<string, undefined> {
  return removing(Object.keys(env).filter((name) => OF_A_SESSION.test(name)));
}

/**
 * The command gets, under sudo, what sudo let through of the caller's environment, without what sudo
 * itself and root's login have put there.
 */
function withoutSudo(env: Caller['env'], uid: number): Record<string, undefined> {
  return removing(
    Object.keys(env).filter((name) => {
      const value = env[name] ?? '';
      if (name.startsWith('SUDO_')) return true;
      if (name === 'MAIL') return value.endsWith('/root');
      if (!/^(?:XDG_RUNTIME_DIR$|DBUS_)/.test(name)) return false;
      const owner = /\/run\/user\/(\d+)/.exec(value)?.[1];
      return owner !== undefined && Number(owner) !== uid;
    }),
  );
}

function removing(names: readonly string[]): Record<string, undefined> {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}
