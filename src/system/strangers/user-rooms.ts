/**
 * The bytes kept of the processes of each user, and how many it may be: no user's processes make us forget,
 * or grow for, those of another. Users that we trust with all of it, root and our own, have the room of all.
 */
export class UserRooms {
  readonly #mostOfUser: number;
  readonly #mostOfAll: number;
  readonly #uidOf: (pid: number) => number | null;
  readonly #kept = new Map<number, { readonly uid: number; bytes: number }>();

  constructor(options: {
    readonly mostOfUser: number;
    readonly mostOfAll: number;
    /** The user of a process; null where that is not known. */
    readonly uidOf: (pid: number) => number | null;
  }) {
    this.#mostOfUser = options.mostOfUser;
    this.#mostOfAll = options.mostOfAll;
    this.#uidOf = options.uidOf;
  }

  /** Notes what is kept of a process now. Returns the process to cut off, which has most: −1 for none. */
  keep(pid: number, bytes: number): number {
    const known = this.#kept.get(pid);
    if (known === undefined) this.#kept.set(pid, { uid: this.#uidOf(pid) ?? -1, bytes });
    else known.bytes = bytes;
    const { uid } = this.#kept.get(pid) as { readonly uid: number };
    const isTrusted = uid === 0 || uid === process.geteuid?.();
    if (!isTrusted && this.#sum(uid) > this.#mostOfUser) return this.#largest(uid);
    return this.#sum(null) > this.#mostOfAll ? this.#largest(null) : -1;
  }

  forget(pid: number): void {
    this.#kept.delete(pid);
  }

  /** Null: of all users. */
  #sum(uid: number | null): number {
    let sum = 0;
    for (const kept of this.#kept.values()) if (uid === null || kept.uid === uid) sum += kept.bytes;
    return sum;
  }

  #largest(uid: number | null): number {
    let largest = -1;
    let most = -1;
    for (const [pid, kept] of this.#kept) {
      if ((uid !== null && kept.uid !== uid) || kept.bytes <= most) continue;
      largest = pid;
      most = kept.bytes;
    }
    return largest;
  }
}
