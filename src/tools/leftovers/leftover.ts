/** A file or folder that nobody will remove who made it: a process was killed, or has left it by design. */
export type Leftover = {
  readonly kind: 'notes' | 'map' | 'dump' | 'log' | 'socket' | 'folder';
  readonly path: string;
  /** Size, including what a folder holds. */
  readonly bytes: number;
  /** Its owner, in words. */
  readonly of: string;
  /** The reason why it is not ours to remove; null: it is ours, and whoever used it has ended. */
  readonly kept: string | null;
  /** Whether nobody has a use for it any more: the next recording removes it. */
  readonly isUseless: boolean;
  /** Identifies it when it is looked at again. */
  readonly inode: number;
};

/** Folders to look into, and the user whose files are looked for. */
export type LeftoverPlaces = {
  /** Exactly this user's: also root leaves others' alone. */
  readonly uid: number;
  /** The folder into which V8 writes. */
  readonly shared: string;
  /** Folders in which `perf-ts/register` listens. */
  readonly sockets: readonly string[];
  /** Folders in which temporary ones are made. */
  readonly temporary: readonly string[];
};
