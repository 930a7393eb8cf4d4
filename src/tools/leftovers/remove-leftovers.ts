import { systemErrorReason } from '../../base/system-error.ts';
import { Folder } from '../../system/files/folder.ts';
import { findLeftovers, ownPlaces } from './find-leftovers.ts';
import type { Leftover, LeftoverPlaces } from './leftover.ts';

/**
 * Removes what was found, if it still is what it was, and says of the others why they stay. Links are
 * never followed, and a folder is emptied by its descriptor.
 */
export function removeLeftover(leftover: Leftover): Leftover {
  if (leftover.kept !== null) return leftover;
  try {
    const folder = Folder.around(leftover.path);
    try {
      const name = leftover.path.slice(leftover.path.lastIndexOf('/') + 1);
      if (folder.entry(name)?.ino !== leftover.inode) {
        return { ...leftover, kept: 'it is gone, or was replaced' };
      }
      if (leftover.kind === 'folder') removeTree(folder, name);
      else folder.remove(name);
    } finally {
      folder.close();
    }
    return leftover;
  } catch (error) {
    return { ...leftover, kept: systemErrorReason(error) };
  }
}

function removeTree(parent: Folder, name: string): void {
  const folder = parent.folder(name);
  try {
    for (const inner of folder.names()) {
      if (folder.entry(inner)?.isDirectory()) removeTree(folder, inner);
      else folder.remove(inner);
    }
  } finally {
    folder.close();
  }
  parent.removeFolder(name);
}

/**
 * Removes what recordings and programs that were killed have left and nobody has a use for, before the next
 * one ends. The rest is for `doctor --clean`. Never throws.
 */
export async function removeDeadRecordings(
  places: LeftoverPlaces = ownPlaces(),
): Promise<Leftover[]> {
  const found = await findLeftovers(places, 'useless');
  return found
    .filter(({ isUseless, kept }) => isUseless && kept === null)
    .map(removeLeftover)
    .filter(({ kept }) => kept === null);
}
