import { loadBinding } from '../../native/binding.ts';

/** A user, as far as rights to files go. */
export type FileIdentity = {
  readonly uid: number;
  readonly gid: number;
  /** Supplementary groups; absent: none. */
  readonly groups?: readonly number[];
};

/** Whom this thread acts as at the moment; null: nobody but itself. */
let acting: FileIdentity | null = null;

/**
 * Runs `act` with the rights of `identity` to files, for root only: whatever a file in a folder of that
 * user turns out to be, root does to it what the user could do without us, and no more. It holds for
 * calls that this thread makes itself, so `act` must not be asynchronous, and for no other thread.
 * Throws a NativeError where the kernel refuses; `act` has not run then.
 */
export function actAs<T>(identity: FileIdentity, act: () => T): T {
  if (process.geteuid?.() !== 0 || identity.uid === actingUid()) return act();
  const before = acting;
  try {
    become(identity);
    return act();
  } finally {
    // Should this throw, nothing that follows could be trusted to be ours.
    become(before);
  }
}

/** Within `actAs`: runs `act` with our own rights. */
export function actAsOurselves<T>(act: () => T): T {
  return acting === null ? act() : actAs(ourselves(), act);
}

/** The user with whose rights files are opened now. */
export function actingUid(): number {
  return acting?.uid ?? process.geteuid?.() ?? -1;
}

/** The identity with which this thread began. */
let own: FileIdentity | null = null;

function ourselves(): FileIdentity {
  own ??= { uid: 0, gid: process.getegid?.() ?? 0, groups: process.getgroups?.() ?? [] };
  return own;
}

/** Null: ourselves. */
function become(identity: FileIdentity | null): void {
  // Asked first, while the kernel still states who we are.
  const self = ourselves();
  const { uid, gid, groups = [] } = identity ?? self;
  loadBinding().setFileIdentity(uid, gid, Uint32Array.from(groups));
  acting = uid === 0 ? null : identity;
}
