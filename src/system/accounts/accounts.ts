/** A user as the system knows it. */
export type Account = {
  readonly name: string;
  readonly uid: number;
  /** The primary group. */
  readonly gid: number;
  readonly home: string;
  /** The login shell; `/bin/sh` where the account names none. */
  readonly shell: string;
  /** The primary group first, then all supplementary ones, each once: what initgroups(3) sets. */
  readonly groups: readonly number[];
};

/** The lookup of accounts; null where there is no such user. */
export type Accounts = {
  byName(name: string): Account | null;
  byUid(uid: number): Account | null;
};

/** The highest uid or gid: −1 as an unsigned number means "leave unchanged" to the set*id calls. */
const MAX_ID = 2 ** 32 - 2;

/** A uid or gid in decimal; null for anything else, so that no half-read number is ever used. */
export function parseId(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return null;
  const id = Number(text);
  return id <= MAX_ID ? id : null;
}

/** Accounts out of the text of `/etc/passwd` and `/etc/group`; the first of equal entries counts. */
export function accountsFromText(passwd: string, group: string): Accounts {
  const find = (matches: (name: string, uid: number) => boolean): Account | null => {
    for (const line of passwd.split('\n')) {
      // name:password:uid:gid:comment:home:shell
      const [name, , uidText, gidText, , home, shell] = line.split(':');
      const uid = parseId(uidText);
      const gid = parseId(gidText);
      if (!name || uid === null || gid === null || home === undefined) continue;
      if (!matches(name, uid)) continue;
      const groups = withPrimary(gid, memberships(group, name));
      return { name, uid, gid, home, shell: shell?.trim() || '/bin/sh', groups };
    }
    return null;
  };
  return {
    byName: (wanted) => find((name) => name === wanted),
    byUid: (wanted) => find((_name, uid) => uid === wanted),
  };
}

/** The gids of the groups that list `user` as a member. */
function memberships(group: string, user: string): number[] {
  const gids: number[] = [];
  for (const line of group.split('\n')) {
    // name:password:gid:member,member,…
    const [, , gidText, members] = line.split(':');
    const gid = parseId(gidText);
    if (gid !== null && members?.trim().split(',').includes(user)) gids.push(gid);
  }
  return gids;
}

export function withPrimary(primary: number, supplementary: readonly number[]): number[] {
  return [...new Set([primary, ...supplementary])];
}
