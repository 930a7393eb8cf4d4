import { type Account, type Accounts, parseId } from './accounts.ts';

/** The user of this process, and what its environment says of who started it. */
export type Caller = {
  readonly euid: number;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export function thisProcess(): Caller {
  return { euid: process.geteuid?.() ?? -1, env: process.env };
}

/** The caller of sudo, or why the answer is nobody but root. */
export type SudoCaller =
  | { readonly kind: 'user'; readonly account: Account; readonly gid: number }
  | { readonly kind: 'root'; readonly reason: string };

/**
 * sudo sets SUDO_UID, SUDO_GID and SUDO_USER to the ids and the name of its caller. They are mere
 * environment variables, so each is checked against the accounts. Null: nobody called sudo.
 */
export function findSudoCaller(env: Caller['env'], accounts: Accounts): SudoCaller | null {
  const { SUDO_UID, SUDO_GID, SUDO_USER } = env;
  if (SUDO_UID === undefined && SUDO_USER === undefined) return null;
  if (SUDO_UID === undefined) return stayRoot('SUDO_UID is not set, although SUDO_USER is');
  const uid = parseId(SUDO_UID);
  if (uid === null) return stayRoot(`SUDO_UID is '${SUDO_UID}', which is not a user id`);
  if (uid === 0) return stayRoot('SUDO_UID is 0, root called sudo');

  // Several names may share a uid; SUDO_USER states which of them it was.
  const named = SUDO_USER === undefined ? null : accounts.byName(SUDO_USER);
  const account = named?.uid === uid ? named : accounts.byUid(uid);
  if (account === null) return stayRoot(`SUDO_UID is ${uid}, and there is no such user`);

  if (SUDO_GID === undefined) return { kind: 'user', account, gid: account.gid };
  const gid = parseId(SUDO_GID);
  if (gid === null) return stayRoot(`SUDO_GID is '${SUDO_GID}', which is not a group id`);
  if (!account.groups.includes(gid)) {
    return stayRoot(`SUDO_GID is ${gid}, which is not a group of ${account.name}`);
  }
  return { kind: 'user', account, gid };
}

function stayRoot(reason: string): SudoCaller {
  return { kind: 'root', reason };
}
