import { closeSync, fstatSync } from 'node:fs';
import { NOTES_FOLDER, notesPath } from '../../read/jit/node-notes.ts';
import { openTrusted } from '../../system/files/trusted-file.ts';
import { uidOfProcess } from '../../system/processes/processes-of-user.ts';
import { silentPlaces } from '../../system/strangers/silent-places.ts';

/** An open file, which stays open. */
export type HeldFile = { readonly fd: number; readonly size: number; readonly inode: number };

/**
 * The notes of attached processes, held open. A process that is killed leaves its notes in /tmp, where the next
 * recorder of its user takes them for useless and removes them (`tools/leftovers`): here they can still be read.
 */
export class HeldNotes {
  readonly #files = new Map<number, number>();

  /** Opens what the processes have noted, where they note anything. */
  hold(pids: readonly number[]): void {
    if (silentPlaces.mayWait(NOTES_FOLDER)) return;
    for (const pid of pids) {
      const uid = uidOfProcess(pid);
      if (uid === null || this.#files.has(pid)) continue;
      const file = openTrusted(notesPath(pid), [uid]);
      if (file.kind === 'file') this.#files.set(pid, file.fd);
    }
  }

  /** The notes of a process as they are now; null where none are held. */
  of(pid: number): HeldFile | null {
    const fd = this.#files.get(pid);
    if (fd === undefined) return null;
    const { size, ino: inode } = fstatSync(fd);
    return { fd, size, inode };
  }

  close(): void {
    for (const fd of this.#files.values()) closeSync(fd);
    this.#files.clear();
  }
}
