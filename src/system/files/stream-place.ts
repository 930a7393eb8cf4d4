import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import { basename } from 'node:path';
import { FailedError, failedBy } from '../../base/errors.ts';
import { systemErrorReason } from '../../base/system-error.ts';
import { loadBinding } from '../../native/binding.ts';
import { actAs } from '../accounts/file-identity.ts';
import { chooseUser } from '../accounts/run-as.ts';
import {
  findInheritedFds,
  nodeStartMs,
  O_ACCMODE,
  readOpenFds,
  readStatusFlags,
} from '../processes/inherited-fds.ts';
import { callAfter } from '../time/long-timer.ts';
import { Folder, isTrusted } from './folder.ts';

/** A descriptor that a recording is written to as a stream. */
export type StreamPlace = {
  readonly fd: number;
  /** How messages call it. */
  readonly name: string;
  /** Idempotent. What was open from the start stays open. */
  close(): void;
};

const STDOUT = 1;
const STDERR = 2;
const LOOK_MS = 20;

/** `-o -`. */
const STANDARD_OUTPUT: StreamPlace = { fd: STDOUT, name: 'standard output', close() {} };

/** `-` for the other names of standard output, which are links of the kernel: `/dev/stdout`. */
export function plainOutput(path: string): string {
  return descriptorIn(path) === STDOUT ? '-' : path;
}

/**
 * Whether what is written to `path` is a stream: `-`, a descriptor (`/dev/fd/63`, from `-o >(gzip)`),
 * a FIFO, a character device. They are written to where they are, as nothing can take their place. A
 * FIFO of somebody else than root and our caller is not: its reader is not whom we write for.
 */
export function isStream(path: string | undefined): boolean {
  if (path === undefined) return false;
  if (path === '-' || descriptorIn(path) !== null) return true;
  try {
    return isStreamEntry(lstatSync(path));
  } catch {
    return false;
  }
}

function isStreamEntry(entry: Stats): boolean {
  if (entry.isCharacterDevice()) return true;
  if (!entry.isFIFO()) return false;
  return isTrusted(entry) || entry.uid === chooseUser({}).owner?.uid;
}

/** The descriptor of this process that a path of the kernel's stands for; null for other paths. */
function descriptorIn(path: string): number | null {
  if (path === '/dev/stdout') return STDOUT;
  if (path === '/dev/stderr') return STDERR;
  const match = /^(?:\/dev\/fd|\/proc\/(self|thread-self|\d+)\/fd)\/(\d+)$/.exec(path);
  if (match === null) return null;
  const [, whose = 'self', fd] = match;
  if (/^\d/.test(whose) && Number(whose) !== process.pid) return null;
  return Number(fd);
}

/**
 * Opens what `isStream`, under sudo with the rights of who called it. A FIFO must have a reader: ENXIO
 * otherwise.
 */
export function openStream(path: string): StreamPlace {
  if (plainOutput(path) === '-') return STANDARD_OUTPUT;
  const inherited = descriptorIn(path);
  if (inherited !== null) return { fd: checkInherited(path, inherited), name: path, close() {} };
  const { owner } = chooseUser({});
  const fd = owner === null ? openInFolder(path) : actAs(owner, () => openInFolder(path));
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  return { fd, name: path, close };
}

/**
 * Opens a stream and waits for a FIFO's reader, as the kernel does it for other writers. Rejects with
 * what `signal` was aborted for.
 */
export async function openStreamOnceRead(path: string, signal?: AbortSignal): Promise<StreamPlace> {
  for (;;) {
    try {
      return openStream(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    }
    signal?.throwIfAborted();
    await new Promise<void>((resolve) => void callAfter(LOOK_MS, resolve));
    signal?.throwIfAborted();
  }
}

/** Node has pipes of its own; writing to one of these would be its end. */
function checkInherited(path: string, fd: number): number {
  const isOpen = fd <= STDERR || findInheritedFds(readOpenFds(), nodeStartMs()).includes(fd);
  const problem = isOpen ? whyNotWritten(fd) : 'the descriptor is closed';
  if (problem !== null) throw failedBy('EBADF', `cannot write ${path}: ${problem}`);
  return fd;
}

function whyNotWritten(fd: number): string | null {
  try {
    const isForReading = (readStatusFlags(fd) & O_ACCMODE) === constants.O_RDONLY;
    return isForReading ? 'it is open for reading only' : null;
  } catch (error) {
    return systemErrorReason(error);
  }
}

function openInFolder(path: string): number {
  const folder = Folder.around(path);
  try {
    // Without O_NONBLOCK the opening itself would wait, and no signal would be handled.
    const { O_WRONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;
    const fd = openSync(folder.at(basename(path)), O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    if (isStreamEntry(fstatSync(fd))) {
      loadBinding().setNonBlocking(fd, false);
      return fd;
    }
    closeSync(fd);
    throw new FailedError(`cannot write ${path}: another process replaced it in the meantime`);
  } finally {
    folder.close();
  }
}
