import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, posix } from 'node:path';
import { FailedError, UsageError } from '../../base/errors.ts';
import {
  actAs,
  actAsOurselves,
  actingUid,
  type FileIdentity,
} from '../../system/accounts/file-identity.ts';
import { Folder } from '../../system/files/folder.ts';
import { helperEnvironment } from '../../system/system-programs.ts';

const MARKER = 'perf-ts-archive.json';
/** Path at which an earlier archive waits for its removal. */
const EARLIER = 'earlier';
/** The archive as a tar file, until it is whole. */
const PACKED = 'packed';
const BLOCK_BYTES = 512;

/** tar's words for each ending. */
const TAR_WORDS: Readonly<Record<string, readonly string[]>> = {
  '.tar': [],
  '.tar.gz': ['--gzip'],
  '.tgz': ['--gzip'],
  '.tar.xz': ['--xz'],
  '.tar.zst': ['--zstd'],
};

/** The folder beside the place that only we may enter, and the folder of both. */
type Holder = {
  readonly folder: Folder;
  readonly holder: Folder;
  readonly holderName: string;
};

/**
 * An archive that is being made: a tree in a folder that nobody else may enter, beside where it will
 * be. It appears at its place when it is whole.
 *
 *     FILE.symbols.unfinished-4711/        of mode 0700, held open
 *         FILE.symbols/                    the tree
 *         packed                           the tree as a tar file, where one was asked for
 *         earlier/                         what stood at the place, on its way out
 *
 * All of it is done with the rights that this thread has at the moment: where root acts for `owner`, those
 * of the owner. Where these don't suffice, in a folder that is not the owner's, root makes the tree with
 * its own and gives it away when it is whole.
 */
export class ArchiveOutput {
  files = 0;
  /** Bytes of the disk; holes count as nothing. */
  bytes = 0;
  readonly #output: string;
  readonly #tree: string;
  readonly #folder: Folder;
  readonly #holder: Folder;
  readonly #holderName: string;
  /** Owner that gets it when it is whole; null: whoever makes it. */
  readonly #givenTo: FileIdentity | null;
  /** Relative to the tree: files and directories. */
  readonly #stored = new Set<string>();

  private constructor(
    output: string,
    tree: string,
    givenTo: FileIdentity | null,
    { folder, holder, holderName }: Holder,
  ) {
    this.#output = output;
    this.#tree = tree;
    this.#givenTo = givenTo;
    this.#folder = folder;
    this.#holder = holder;
    this.#holderName = holderName;
  }

  /**
   * `tree`: what a tar file unpacks to. Throws `UsageError` unless nothing, or an archive that may be
   * replaced, is at `output`.
   */
  static create(output: string, tree: string, owner: FileIdentity | null): ArchiveOutput {
    const make = (givenTo: FileIdentity | null): ArchiveOutput =>
      new ArchiveOutput(output, tree, givenTo, makeHolder(output, tree, givenTo));
    try {
      return make(null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (owner === null || (code !== 'EACCES' && code !== 'EPERM')) throw error;
      return actAsOurselves(() => make(owner));
    }
  }

  has(path: string): boolean {
    return this.#stored.has(relativePath(path));
  }

  /** Makes the file of the recorded machine's `path`, and has it filled; `..` leads nowhere. */
  add(path: string, fill: (fd: number) => void): void {
    const place = relativePath(path);
    const fd = this.#write(() => {
      const target = `${this.#holder.at(this.#tree)}/${place}`;
      mkdirSync(posix.dirname(target), { recursive: true, mode: 0o700 });
      const flags =
        constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      return openSync(target, flags, 0o600);
    });
    for (let part = place; part !== '.'; part = posix.dirname(part)) this.#stored.add(part);
    try {
      fill(fd);
      this.files++;
      this.bytes += fstatSync(fd).blocks * BLOCK_BYTES;
    } finally {
      closeSync(fd);
    }
  }

  /** Marks the tree as the archive of `recording`, and puts it in its place. */
  finish(recording: string): void {
    this.#write(() => {
      const tree = this.#holder.at(this.#tree);
      const marker = { version: 1, recording: basename(recording) };
      writeFileSync(`${tree}/${MARKER}`, `${JSON.stringify(marker)}\n`, { mode: 0o600 });
      this.#stored.add(MARKER);
      const name = basename(this.#output);
      const made = isTarName(this.#output) ? this.#pack() : this.#tree;
      this.#give(made);
      const earlier = replaceableEntry(this.#folder, this.#output, this.#givenTo);
      if (earlier?.isDirectory()) this.#folder.moveTo(name, this.#holder, EARLIER);
      this.#holder.moveTo(made, this.#folder, name);
    });
  }

  /** Removes what is left of the making. To be called in any case. */
  close(): void {
    this.#write(() => {
      for (const name of readdirSync(this.#holder.at('.'))) removeTree(this.#holder, name);
      this.#holder.close();
      tryTo(() => this.#folder.removeFolder(this.#holderName));
      this.#folder.close();
    });
  }

  /**
   * The tree as a tar file, by the system's tar, which knows holes and every kind of compression. tar
   * gets the folder and the file open, and so needs no way to them. Throws `FailedError` with its words.
   */
  #pack(): string {
    const fd = this.#holder.create(PACKED);
    const holder = openSync(this.#holder.at('.'), constants.O_RDONLY | constants.O_DIRECTORY);
    const compression = TAR_WORDS[tarEnding(this.#output) ?? ''] ?? [];
    const words = ['--sparse', ...compression, '-cf', '-', '-C', '/proc/self/fd/3', this.#tree];
    const { uid } = fstatSync(holder);
    const run = spawnSync('tar', words, {
      stdio: ['ignore', fd, 'pipe', holder],
      encoding: 'utf8',
      env: helperEnvironment(),
      ...(process.geteuid?.() === 0 && uid !== 0 && { uid, gid: fstatSync(fd).gid }),
    });
    for (const open of [fd, holder]) closeSync(open);
    if (run.error || run.status !== 0) {
      const why = run.error?.message ?? run.stderr.trim();
      throw new FailedError(`cannot write ${this.#output}: tar: ${why}`, [
        'without a .tar ending -o makes a directory',
      ]);
    }
    return PACKED;
  }

  /** Nobody else may enter the holder until now, so what is in it is what we have made. */
  #give(made: string): void {
    if (this.#givenTo === null) return;
    const { uid, gid } = this.#givenTo;
    const top = this.#holder.at(made);
    if (made === this.#tree) {
      for (const path of this.#stored) lchownSync(`${top}/${path}`, uid, gid);
    }
    lchownSync(top, uid, gid);
  }

  #write<T>(act: () => T): T {
    return this.#givenTo === null ? act() : actAsOurselves(act);
  }
}

/** Checks the place, and makes the folder that holds the tree until it is whole. */
function makeHolder(output: string, tree: string, givenTo: FileIdentity | null): Holder {
  const folder = Folder.around(output);
  try {
    replaceableEntry(folder, output, givenTo);
    const holderName = folder.freeName(`${basename(output)}.unfinished-${process.pid}`);
    const holder = folder.makeFolder(holderName);
    mkdirSync(holder.at(tree), { mode: 0o700 });
    return { folder, holder, holderName };
  } catch (error) {
    folder.close();
    throw error;
  }
}

/** The entry at the place, which may be replaced; undefined: none. Throws where it may not be. */
function replaceableEntry(
  folder: Folder,
  output: string,
  givenTo: FileIdentity | null,
): Stats | undefined {
  const isTar = isTarName(output);
  const name = basename(output);
  const entry = folder.entry(name);
  if (entry === undefined) return undefined;
  const isOne = isTar ? entry.isFile() : entry.isDirectory() && isArchive(folder, name);
  if (!isOne) {
    const what = isTar ? 'a tar file' : 'an archive of perf-ts';
    throw new UsageError(`cannot write ${output}: it is there, and is not ${what}`, [
      'name another place with -o',
    ]);
  }
  const owners = [0, actingUid(), givenTo?.uid];
  if (owners.includes(entry.uid)) return entry;
  throw new FailedError(`cannot replace ${output}: it belongs to another user (uid ${entry.uid})`, [
    'name another place with -o',
  ]);
}

function isArchive(folder: Folder, name: string): boolean {
  const directory = folder.folder(name);
  try {
    const fd = openSync(directory.at(MARKER), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const marker: unknown = JSON.parse(readFileSync(fd, 'utf8'));
      return (marker as { version?: unknown }).version === 1;
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  } finally {
    directory.close();
  }
}

function isTarName(output: string): boolean {
  return tarEnding(output) !== null;
}

function tarEnding(output: string): string | null {
  return Object.keys(TAR_WORDS).find((ending) => output.endsWith(ending)) ?? null;
}

/** A path of the recorded machine below the archive; `..` leads nowhere. */
function relativePath(path: string): string {
  return posix.normalize(`/${path}`).slice(1);
}

/**
 * Removes `name` and what is below it. The owner of a tree may change it meanwhile: root then removes no
 * more than what the owner could.
 */
function removeTree(folder: Folder, name: string): void {
  const entry = folder.entry(name);
  if (entry === undefined) return;
  if (!entry.isDirectory()) {
    folder.remove(name);
    return;
  }
  const tree = folder.folder(name);
  try {
    const { uid, gid } = tree.stat();
    actAs({ uid, gid }, () => {
      for (const below of readdirSync(tree.at('.'))) {
        rmSync(tree.at(below), { recursive: true, force: true });
      }
    });
  } finally {
    tree.close();
  }
  folder.removeFolder(name);
}

/** Ignores a failure: the file is left as it is. */
function tryTo(act: () => void): void {
  try {
    act();
  } catch {
    // Somebody has taken it away.
  }
}
