import { constants } from 'node:fs';
import { isAbsolute } from 'node:path';
import { NONE } from '../../base/brand.ts';
import { FailedError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import type { PageSource, PageSources } from '../../formats/export/page-profile.ts';
import type { Profile } from '../../profile/types.ts';
import { statOrNull } from '../../system/small-file.ts';
import { openForReaders, type Reader, readersBesidesRoot } from '../files/access.ts';

/** A source file that people wrote is smaller; one that a bundler wrote is of no use in a page. */
const MOST_BYTES = 4 << 20;

/** How many source files a page that is a file gets, and of how many characters in all. */
const HOT_FILES = 20;
const MOST_HOT_CHARACTERS = 2_000_000;

/**
 * Sources that only some may read are known by their names: what else a recording calls a source may
 * be a key.
 */
const SOURCE_NAME =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|coffee|c|cc|cpp|cxx|c\+\+|cu|h|hh|hpp|hxx|inc|inl|ipp|tcc|m|mm|s|asm|rs|go|py|pyx|pxd|rb|php|java|kt|kts|scala|clj|groovy|swift|zig|nim|d|ml|mli|hs|lua|pl|pm|r|jl|cs|fs|ex|exs|erl|f|f77|f90|f95|f03|f08|for|pas|pp|adb|ads|sh|y|l|yy|ll|re|dart|cr|odin|v)$/i;

/**
 * Texts of the source files that a profile names. The names come from the recording, so from
 * strangers: a hostile one may name /etc/shadow. What is read is what all who may see the page, and
 * the owner of the recording, could read without perf-ts; see `readersBesidesRoot`.
 */
export class SourceFiles {
  readonly #profile: Profile;
  readonly #recording: string;
  readonly #named: ReadonlySet<number>;

  constructor(profile: Profile, recording: string) {
    this.#profile = profile;
    this.#recording = recording;
    this.#named = new Set([...profile.funcs.file, ...profile.frames.file].filter((row) => row > 0));
  }

  /** A `PageSource` as JSON. Throws `FailedError` with the reason why there is no text. */
  answer(string: number): string {
    return JSON.stringify(this.source(string));
  }

  /** Throws as `answer` does. */
  source(string: number): PageSource {
    const text = this.read(string);
    const path = pathOf(this.#profile.strings[string]);
    return { text, changed: changedSince(path, this.#recording) };
  }

  /** The text alone. */
  read(string: number): string {
    if (!this.#named.has(string)) throw new FailedError('the profile names no such source file');
    const name = this.#profile.strings[string];
    const path = pathOf(name);
    if (!isAbsolute(path)) {
      throw new FailedError(`${printable(name)}: where this file lies is not known`);
    }
    return readText(path, readersBesidesRoot(this.#recording));
  }
}

/** The files in which most samples were taken: `PageSources` as JSON. */
export function hotSources(profile: Profile, sources: SourceFiles): string {
  const texts: Record<number, PageSource> = {};
  let room = MOST_HOT_CHARACTERS;
  for (const file of hottestFiles(profile, HOT_FILES)) {
    try {
      const source = sources.source(file);
      if (source.text.length > room) continue;
      room -= source.text.length;
      texts[file] = source;
    } catch (error) {
      // A file without its sources is still a page.
      if (!(error instanceof FailedError)) throw error;
    }
  }
  return JSON.stringify(texts satisfies PageSources);
}

/** Rows of the strings, most samples first. */
function hottestFiles({ samples, stacks, frames, funcs }: Profile, most: number): number[] {
  const count = new Map<number, number>();
  for (let i = 0; i < samples.length; i++) {
    const stack = samples.stack[i];
    if (stack === NONE) continue;
    const frame = stacks.frame[stack];
    const file = frames.file[frame] === NONE ? funcs.file[frames.func[frame]] : frames.file[frame];
    if (file !== NONE) count.set(file, (count.get(file) ?? 0) + 1);
  }
  return [...count]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([file]) => file);
}

/** When a file was changed, if that was after the recording was written; null: it was not, or nobody knows. */
function changedSince(path: string, recording: string): string | null {
  const source = statOrNull(path);
  const recorded = statOrNull(recording);
  if (source === null || recorded === null) return null;
  if (source.mtimeMs <= recorded.mtimeMs) return null;
  return `${source.mtime.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function pathOf(name: string): string {
  if (!name.startsWith('file://')) return name;
  try {
    return decodeURIComponent(name.slice(7));
  } catch {
    // Not an address after all.
    return name;
  }
}

/**
 * The text of a file that each of `readers` may read; see `openForReaders`. Throws `FailedError` where the file is
 * not there, not text, too large or not theirs to read.
 */
function readText(path: string, readers: readonly Reader[]): string {
  const file = openForReaders(path, readers);
  if (typeof file === 'string') {
    const reason = /^[A-Z]+$/.test(file) ? `can't be read (${file})` : file;
    throw new FailedError(`${printable(path)}: ${reason}`);
  }
  try {
    checkName(path, file.mode);
    checkSize(path, file.source.size);
    const bytes = Buffer.from(file.source.read(0, file.source.size));
    if (bytes.includes(0)) throw new FailedError(`${printable(path)}: not a text`);
    return bytes.toString('utf8');
  } finally {
    file.source.close?.();
  }
}

function checkName(path: string, mode: number): void {
  if ((mode & constants.S_IROTH) !== 0 || SOURCE_NAME.test(path)) return;
  throw new FailedError(
    `${printable(path)}: not for everybody to read, and by its name not a source file`,
  );
}

function checkSize(path: string, bytes: number): void {
  if (bytes <= MOST_BYTES) return;
  throw new FailedError(`${printable(path)}: larger than ${MOST_BYTES >> 20} MiB`);
}
