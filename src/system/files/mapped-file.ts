import { statfsSync } from 'node:fs';
import { livingThread } from '../processes/living-thread.ts';
import { openRegularBelow } from './open-below.ts';
import { type OpenFile, openRegular } from './open-regular.ts';

/** Addresses at which a process has mapped a file; the end is exclusive. */
export type FileMapping = { readonly pid: number; readonly start: number; readonly end: number };

/** A place at which the file of a mapping may be, and its opening; `path` for messages. */
export type MappedPlace = { readonly path: string; readonly open: () => OpenFile | string };

/**
 * The places at which the process that has the mapping reaches its file: the path below its own root, which
 * differs in a container, and the mapping itself, which needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE and also leads
 * to a file that was deleted.
 */
export function placesOfMapping(path: string, { pid, start, end }: FileMapping): MappedPlace[] {
  const tid = livingThread(pid);
  const root = `/proc/${tid}/root`;
  const mapping = `/proc/${tid}/map_files/${start.toString(16)}-${end.toString(16)}`;
  return [
    { path: `${root}${path}`, open: () => openRegularBelow(root, path) },
    { path: mapping, open: () => openRegular(mapping) },
  ];
}

/** Magic numbers of file systems whose `stat` may give another device or inode than their mappings: overlay, btrfs, bcachefs. */
const WITH_OTHER_NUMBERS = new Set([0x794c7630, 0x9123683e, 0xca451a4e]);

/**
 * Whether an open file is the one with the device and inode of a mapping, `MAJOR:MINOR:INODE`; null where its file
 * system does not let that be known, or neither was recorded. There the inode alone is proof.
 */
export function isFileOfMapping({ source, inode }: OpenFile, fileId: string): boolean | null {
  const [major, minor, recorded] = fileId.split(':').map(Number);
  if (source.file === undefined || recorded === undefined) return null;
  const { path, version } = source.file;
  if (inode === recorded && isDevice(version.dev, major, minor)) return true;
  if (!hasOtherNumbers(path)) return false;
  return inode === recorded || null;
}

/** `new_encode_dev` of the kernel's `linux/kdev_t.h`. */
function isDevice(dev: number, major: number, minor: number): boolean {
  const low = dev % 2 ** 32;
  return ((low >>> 8) & 0xfff) === major && ((low & 0xff) | ((low >>> 12) & 0xfff00)) === minor;
}

function hasOtherNumbers(path: string): boolean {
  try {
    return WITH_OTHER_NUMBERS.has(statfsSync(path).type);
  } catch {
    return false;
  }
}
