import { hostname, release, version } from 'node:os';
import { resolve } from 'node:path';
import { type Diagnostic, Diagnostics } from '../base/diagnostics.ts';
import { FailedError, messageOf } from '../base/errors.ts';
import { lateModules } from '../base/late-modules.ts';
import { once } from '../base/once.ts';
import type { OpenProfileOptions } from '../options/reading.ts';
import type { Profile } from '../profile/types.ts';
import { AskedFiles, areAnswersOf } from '../system/asked-files.ts';
import { debugLog } from '../system/debug-log.ts';
import { CacheFolder, cacheHome, MOST_CACHED_BYTES } from '../system/files/cache-folder.ts';
import { KeptParts } from '../system/files/kept-parts.ts';
import { readersBesidesRoot } from './files/access.ts';
import { usualPlaces } from './files/debug-places.ts';
import { programVersion, SETTLED_AFTER_MS } from './files/name-cache.ts';
import { denoCache } from './jit/script-maps.ts';
import { wantsLines } from './open-lines.ts';
import type { ReadParts } from './outputs/analysed-profile.ts';

const debug = debugLog('read');

/** A sample takes some 20 bytes, so that this is three million of them. */
const PROFILE = { prefix: 'profile', mostBytes: 64 * 2 ** 20 };
const SAMPLE_BYTES = 20;
/** A shorter reading costs little more than a look at what was kept. */
const WORTHWHILE_MS = 100;
/** The first answer is printed by then. */
const KEPT_AFTER_MS = 5000;

/** A recording as it was read. */
export type Reading = Omit<ReadParts, 'recorded'> & {
  readonly recorded: Profile;
  /** Whether it has stacks, in which inlined calls are looked for. */
  readonly hasStacks: boolean;
};

/** A reading as plain data. `lines`: lines were looked for. */
type Kept = Omit<Reading, 'diagnostics' | 'code'> & {
  readonly diagnostics: readonly Diagnostic[];
  readonly hasCode: boolean;
  readonly lines: boolean;
};

/** Seams for tests. */
type KeptProfileOptions = {
  /** The user's folder of caches. */
  readonly home?: string | null;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly worthwhileMs?: number;
  /** Calls `keep` when what was read has been used. */
  readonly later?: (keep: () => void) => void;
};

/** Returns what an earlier run has kept of the file at `path`, else what `read` gives, which is kept where `options.cache` is true. */
export async function readOrRecall(
  path: string,
  options: OpenProfileOptions,
  read: () => Promise<Reading>,
  seams: KeptProfileOptions = {},
): Promise<Reading> {
  const kept = options.cache === true ? KeptProfile.of(path, options, seams) : null;
  if (kept === null) return read();
  return kept.recall(read) ?? kept.readAndKeep(read);
}

/**
 * The profile of a recording, kept in the user's cache for the next command that asks about it.
 *
 * A profile depends on many files: the recording, programs, debug files, scripts, source maps, perf maps. So an entry has each place that was
 * looked at while it was read, with what there was or that there was nothing (`AskedFiles`), and counts if all of them are the same. What else
 * decides is in its key: the options, this program, Node, the machine and its kernel, the user and the user's folders.
 */
class KeptProfile {
  readonly #options: OpenProfileOptions;
  readonly #seams: KeptProfileOptions;
  readonly #path: string;
  readonly #key: string;

  private constructor(path: string, options: OpenProfileOptions, seams: KeptProfileOptions) {
    this.#path = path;
    this.#options = options;
    this.#seams = seams;
    // Frames of any level are made from the profile, and whether it has lines is in the entry.
    const { frames: _, lines: __, cache: ___, onProgress: ____, ...reading } = options;
    this.#key = JSON.stringify([
      [programVersion(), process.version, process.arch, hostname(), release(), version()],
      [process.geteuid?.(), usualPlaces(), denoCache()],
      [resolve(path), reading],
    ]);
  }

  /**
   * Null where nothing is kept: of a pipe, where the user names places of files, where servers are asked, and where root reads by the rights of
   * others, which have no time of change; nor once the package was replaced.
   */
  static of(
    path: string,
    options: OpenProfileOptions,
    seams: KeptProfileOptions,
  ): KeptProfile | null {
    const { symfs, kallsyms, debugDir, archive, sourceMaps, debuginfod = [] } = options;
    const places = [symfs, kallsyms, debugDir, archive].some((place) => place !== undefined);
    const isNamed = places || typeof sourceMaps === 'string' || debuginfod.length > 0;
    if (path === '-' || isNamed || readersBesidesRoot(path).length > 0) return null;
    return programVersion() === null ? null : new KeptProfile(path, options, seams);
  }

  /** Returns what an earlier run has read; null: nothing that counts. `readAgain` reads the code of its functions, which is not kept. */
  recall(readAgain: () => Promise<Reading>): Reading | null {
    const entry = this.#store((parts) => {
      const part = parts.read().get(PROFILE.prefix);
      if (part === undefined) return null;
      const isSame = () => areAnswersOf(JSON.parse(part.state));
      return isSame() ? { isSame, ...(lateModules.v8.deserialize(part.bytes) as Kept) } : null;
    });
    if (entry === null) return null;
    const { isSame, diagnostics, hasCode, lines, ...kept } = entry;
    if (lines !== wantsLines(this.#options, kept.hasStacks)) return null;
    debug?.(`${this.#path}: an earlier run has read it`);
    const readCode = once(async () => {
      const { code } = await readAgain();
      if (isSame() && code) return code;
      throw new FailedError('no assembly: the recording, or a file of its code, has changed');
    });
    const code: Reading['code'] = {
      disassemble: async (profile, frames) => (await readCode()).disassemble(profile, frames),
    };
    return { ...kept, diagnostics: counted(diagnostics), code: hasCode ? code : null };
  }

  /** Reads, and keeps what was read once it has been used. */
  async readAndKeep(read: () => Promise<Reading>): Promise<Reading> {
    const { now = Date.now, worthwhileMs = WORTHWHILE_MS, later = whenUsed } = this.#seams;
    const asked = new AskedFiles();
    const begun = performance.now();
    const reading = await asked.during(read);
    if (performance.now() - begun < worthwhileMs) return reading;
    // Whoever asks for code counts in the diagnostics, too.
    const { code, diagnostics, ...rest } = reading;
    const kept: Kept = {
      ...rest,
      diagnostics: diagnostics.entries(),
      hasCode: code != null,
      lines: wantsLines(this.#options, rest.hasStacks),
    };
    if (!isKeepable(kept)) return reading;
    later(() => {
      const answers = asked.answers(now() - SETTLED_AFTER_MS);
      if (answers === null) return;
      const state = JSON.stringify(answers);
      this.#store((parts) =>
        parts.write([{ name: PROFILE.prefix, state, bytes: lateModules.v8.serialize(kept) }]),
      );
    });
    return reading;
  }

  /** The result of `use`; null where nothing can be kept, or it can't be made into bytes or out of them. */
  #store<T>(use: (parts: KeptParts) => T): T | null {
    const folder = CacheFolder.open(this.#seams.home ?? cacheHome(), MOST_CACHED_BYTES);
    if (folder === null) return null;
    try {
      return use(new KeptParts(folder, PROFILE, this.#key));
    } catch (error) {
      debug?.(`${this.#path}: ${messageOf(error)}`);
      return null;
    } finally {
      folder.close();
    }
  }
}

function counted(diagnostics: readonly Diagnostic[]): Diagnostics {
  const all = new Diagnostics();
  for (const { detail, count, ...key } of diagnostics) all.count(key, detail, count);
  return all;
}

/** Another time it might not go wrong: where a file could not be read, or a decompressor was missing. */
function isKeepable({ recorded, diagnostics }: Kept): boolean {
  const isPassing = (problem: Diagnostic): boolean => {
    if (problem.code === 'demangler-missing' || problem.code === 'file-unreadable') return true;
    if (!('why' in problem)) return false;
    const { why } = problem;
    return why.cause === 'failed' || ('error' in why && why.error !== 'ENOENT');
  };
  const isSmall = recorded.samples.length * SAMPLE_BYTES < PROFILE.mostBytes;
  return isSmall && !diagnostics.some(isPassing);
}

/** Readings that are still to be kept. */
const waiting = new Set<() => void>();

/** Calls `keep` after a while, or when the process ends: what was read is answered from first. */
function whenUsed(keep: () => void): void {
  if (waiting.size === 0) process.once('exit', keepReadings);
  waiting.add(keep);
  setTimeout(() => {
    if (waiting.delete(keep)) keep();
    if (waiting.size === 0) process.off('exit', keepReadings);
  }, KEPT_AFTER_MS).unref();
}

/** Keeps now what is still to be kept: for threads, which are ended without an exit of their own. */
export function keepReadings(): void {
  for (const keep of waiting) keep();
  waiting.clear();
}
