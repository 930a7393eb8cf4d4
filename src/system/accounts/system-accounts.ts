import { lateModules } from '../../base/late-modules.ts';
import { readTextOrEmpty } from '../small-file.ts';
import { SYSTEM_PATH } from '../system-programs.ts';
import { type Account, type Accounts, accountsFromText, parseId, withPrimary } from './accounts.ts';

/** How the machine is asked; tests answer in its place. */
export type AccountSources = {
  readFile(path: string): string;
  /** Standard output of a program that ended with status 0, otherwise null. */
  run(program: string, args: readonly string[]): string | null;
};

/**
 * The accounts of this machine: `/etc/passwd` and `/etc/group` first, and for users whom these do
 * not know (LDAP, systemd-homed …) `getent` and `id`, which ask the same services as the login did.
 * A local user's groups are those of `/etc/group` only.
 */
export function systemAccounts(sources: AccountSources = thisMachine): Accounts {
  const local = accountsFromText(sources.readFile('/etc/passwd'), sources.readFile('/etc/group'));

  const askServices = (key: string): Account | null => {
    const line = sources.run('getent', ['passwd', '--', key]);
    const name = line?.split(':')[0];
    if (!line || !name) return null;
    const account = accountsFromText(line, '').byName(name);
    if (account === null) return null;
    const groups = sources.run('id', ['-G', '--', name])?.trim().split(/\s+/).map(parseId);
    // An account whose groups can't be known would be half a change of user.
    if (!groups || groups.includes(null)) return null;
    return { ...account, groups: withPrimary(account.gid, groups as number[]) };
  };

  return {
    // getent takes a number for a uid; a name made of digits is not looked up there.
    byName: (name) => local.byName(name) ?? (parseId(name) === null ? askServices(name) : null),
    byUid: (uid) => local.byUid(uid) ?? askServices(String(uid)),
  };
}

const thisMachine: AccountSources = {
  readFile: readTextOrEmpty,
  run(program, args) {
    const env = { PATH: SYSTEM_PATH, LC_ALL: 'C' };
    const result = lateModules.childProcess.spawnSync(program, args, {
      encoding: 'utf8',
      env,
      timeout: 5000,
    });
    return result.status === 0 ? result.stdout : null;
  },
};
