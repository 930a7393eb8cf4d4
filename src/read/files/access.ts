import { constants, statSync } from 'node:fs';
import type { SymbolSource } from '../../code/symbols/symbol-request.ts';
import { actAs } from '../../system/accounts/file-identity.ts';
import { findLoginUser } from '../../system/accounts/login-user.ts';
import { chooseUser } from '../../system/accounts/run-as.ts';
import { systemAccounts } from '../../system/accounts/system-accounts.ts';
import { noteUnrepeatable } from '../../system/asked-files.ts';
import { type OpenFile, openRegular } from '../../system/files/open-regular.ts';

/** A user by whose rights a file is read, without the groups that are not the user's first one. */
export type Reader = { readonly uid: number; readonly gid: number };

/** `nogroup`: for a user whom this machine does not know. */
const NO_GROUP = 65534;

/**
 * The users whose rights count as well as root's: for root every file is open, and a recording
 * names the files that are shown of it, so a stranger may. They are who called sudo, or else who
 * logged in, as the page is for both; and who owns the recording, who may have written anything
 * into it. None of them: root alone sees it, in a recording of its own.
 */
export function readersBesidesRoot(recording: string): Reader[] {
  if (process.geteuid?.() !== 0) return [];
  const { change } = chooseUser({});
  const readers: Reader[] = change === null ? [] : [{ uid: change.uid, gid: change.gid }];
  const login = change === null ? findLoginUser() : null;
  if (login !== null) {
    readers.push({ uid: login, gid: systemAccounts().byUid(login)?.gid ?? NO_GROUP });
  }
  const owner = recording === '-' ? undefined : statSync(recording, { throwIfNoEntry: false });
  if (owner !== undefined) readers.push({ uid: owner.uid, gid: owner.gid });
  const byUid = new Map(readers.map((reader) => [reader.uid, reader]));
  return [...byUid.values()].filter(({ uid }) => uid !== 0);
}

/**
 * The users whose rights count for what the owner of `naming` names: as `readersBesidesRoot`, and for plain root
 * that owner's, who may have written anything into it.
 */
export function readersOfNamed(naming: { uid: number; gid: number }, readers: Reader[]): Reader[] {
  if (readers.length > 0 || process.geteuid?.() !== 0 || naming.uid === 0) return readers;
  return [{ uid: naming.uid, gid: naming.gid }];
}

/** The files that plain root sees where nobody else does: its own and those that everybody may read. */
function isForRoot({ uid, mode }: OpenFile): boolean {
  return uid === 0 || (mode & constants.S_IROTH) !== 0;
}

/**
 * Opens a regular file that a recording, a script or a source map names, so that strangers may have chosen it:
 * root opens it with the rights of each of `readers`, and refuses it where one of them could not, or was led to
 * another file. The kernel decides, with the ways to the file. Otherwise the reason. All files that are named by
 * strangers and whose content is shown, or names what is shown, are opened here.
 */
export function openForReaders(path: string, readers: readonly Reader[]): OpenFile | string {
  if (readers.length === 0) return openForOurselves(path);
  // Rights of others on the way to the file have no time of their own.
  noteUnrepeatable();
  let first: OpenFile | null = null;
  for (const reader of readers) {
    const file = actAs(reader, () => openRegular(path));
    if (typeof file !== 'string' && (first === null || isSameFile(file, first))) {
      if (first !== null) file.source.close?.();
      first ??= file;
      continue;
    }
    first?.source.close?.();
    if (typeof file === 'string') return `can't be read as uid ${reader.uid}`;
    file.source.close?.();
    return 'it changed while it was read';
  }
  return first ?? 'nobody may read it';
}

/** Opens a file as plain root, or as an ordinary user, whom the kernel lets read what it may. */
function openForOurselves(path: string): OpenFile | string {
  const file = openRegular(path);
  if (typeof file === 'string' || process.geteuid?.() !== 0 || isForRoot(file)) return file;
  file.source.close?.();
  return "another user's, and not for everybody to read";
}

function isSameFile({ source: one }: OpenFile, { source: other }: OpenFile): boolean {
  const [a, b] = [one.file?.version, other.file?.version];
  return a?.dev === b?.dev && a?.inode === b?.inode;
}

/**
 * Whether all who will see the bytes of this file could read them without perf-ts. `recording` names
 * it.
 */
export function mayBeShown({ file }: SymbolSource, recording: string): boolean {
  if (file === undefined || process.geteuid?.() !== 0) return true;
  const opened = openForReaders(file.path, readersBesidesRoot(recording));
  if (typeof opened === 'string') return false;
  opened.source.close?.();
  return true;
}
