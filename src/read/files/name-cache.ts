import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DsoKey } from '../../code/process/types.ts';
import { decodeFound, encodeFound, type FoundFrames } from '../../code/symbols/found-frames.ts';
import type { Contents, NameMemory, RememberedNames } from '../../code/symbols/name-memory.ts';
import type {
  SymbolProvider,
  SymbolRequest,
  SymbolSource,
} from '../../code/symbols/symbol-request.ts';
import { debugLog } from '../../system/debug-log.ts';
import { CacheFolder, cacheHome, MOST_CACHED_BYTES } from '../../system/files/cache-folder.ts';
import { packageVersion } from '../../system/version.ts';

const debug = debugLog('symbols');

/** A program of 100 000 functions has some 200 KiB after a recording. */
const MOST_BYTES_OF_ONE = 8 * 2 ** 20;
/** A file that changes within a tick of the kernel's clock after we read it keeps the times that it has. */
export const SETTLED_AFTER_MS = 2000;

/** An answer of the provider: the version of a file, or that there is none. */
type Answer = string | null;
/** The questions that a search asked, each with its answer. */
type Transcript = (readonly [question: string, answer: Answer])[];

export type NameCacheOptions = {
  /** C++ names were demangled to choose among aliases. */
  readonly demangles: boolean;
  /** The user's folder of caches. */
  readonly home?: string | null;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
};

/**
 * The names and lines that were found in files, kept in the user's cache for the next run.
 *
 * They hold for the files that they were found in. So an entry has the questions that the search asked its
 * provider, and which file, in which state, each answer was; it counts if the same questions have the
 * same answers now. That covers debug files that were installed or removed since. Nothing is kept of a
 * search that something went wrong in, so that it goes wrong in the same way next time.
 */
export class NameCache implements NameMemory {
  readonly #folder: CacheFolder;
  readonly #maker: string;
  readonly #now: () => number;

  private constructor(folder: CacheFolder, version: string, options: NameCacheOptions) {
    this.#folder = folder;
    this.#maker = JSON.stringify([version, options.demangles]);
    this.#now = options.now ?? Date.now;
  }

  /** Null where nothing can be kept. To be closed. */
  static open(options: NameCacheOptions): NameCache | null {
    const version = programVersion();
    if (version === null) return null;
    const folder = CacheFolder.open(options.home ?? cacheHome(), MOST_CACHED_BYTES);
    return folder === null ? null : new NameCache(folder, version, options);
  }

  recall(
    contents: Contents,
    dso: DsoKey,
    buildId: string | null,
    provider: SymbolProvider,
  ): RememberedNames | null {
    if (dso.kind !== 'user-file') return null;
    const answers = new NotedAnswers(provider, this.#now() - SETTLED_AFTER_MS);
    const elf = answers.askAhead({ need: 'elf', dso, buildId });
    const name = elf === undefined ? null : entryName(contents, buildId, elf);
    let known: FoundFrames | null = null;
    const keep = (found: FoundFrames): void => {
      if (name === null || !answers.areProven) return;
      const bytes = encodeFound(found, this.#keyOf(answers.transcript));
      if (bytes.length <= MOST_BYTES_OF_ONE) this.#folder.write(name, bytes);
    };
    if (name !== null) known = this.#read(name, dso, answers);
    debug?.(`  ${contents}: ${known?.columns.address.length ?? 0} addresses are remembered`);
    return { known, keep, provide: answers.provide, close: () => answers.close() };
  }

  close(): void {
    this.#folder.close();
  }

  #read(name: string, dso: DsoKey, answers: NotedAnswers): FoundFrames | null {
    const bytes = this.#folder.read(name, MOST_BYTES_OF_ONE);
    const entry = bytes === null ? null : decodeFound(bytes);
    if (entry === null) return null;
    const transcript = this.#transcriptIn(entry.key);
    return transcript !== null && answers.repeat(transcript, dso) ? entry.found : null;
  }

  #keyOf(transcript: Transcript): string {
    return JSON.stringify([this.#maker, transcript]);
  }

  /** The transcript in a key of ours; null for keys of others, as of another version of perf-ts. */
  #transcriptIn(key: string): Transcript | null {
    if (!key.startsWith(`[${JSON.stringify(this.#maker)},`)) return null;
    try {
      return (JSON.parse(key) as [string, Transcript])[1];
    } catch {
      return null;
    }
  }
}

/** Asks a provider, and notes what it answers. */
class NotedAnswers {
  readonly transcript: Transcript = [];
  /** Every answer is known to be the same file, should it be given again. */
  areProven = true;
  readonly #provider: SymbolProvider;
  readonly #settledUntilMs: number;
  /** Answers that were asked for ahead, and that nobody has taken yet. */
  readonly #ahead = new Map<string, SymbolSource | null>();

  constructor(provider: SymbolProvider, settledUntilMs: number) {
    this.#provider = provider;
    this.#settledUntilMs = settledUntilMs;
  }

  /** Answers in place of the provider. */
  readonly provide: SymbolProvider = (request) => {
    const question = questionOf(request);
    const ahead = this.#ahead.get(question);
    const source = ahead === undefined ? this.#ask(request, question) : ahead;
    this.#ahead.delete(question);
    return source;
  };

  /** The file that answers; null: none, undefined: it is no file. */
  askAhead(request: SymbolRequest): SymbolSource['file'] {
    const question = questionOf(request);
    const source = this.#ask(request, question);
    this.#ahead.set(question, source);
    return source?.file;
  }

  /** Asks once more what `transcript` has, from its second question on; whether all answers are the same. */
  repeat(transcript: Transcript, dso: DsoKey): boolean {
    const [first] = this.transcript;
    const [[question, answer]] = transcript;
    if (question !== first[0] || answer !== first[1]) return false;
    for (const [question, answer] of transcript.slice(1)) {
      this.askAhead({ ...JSON.parse(question), dso } as SymbolRequest);
      if (this.transcript.at(-1)?.[1] !== answer) return false;
    }
    return true;
  }

  close(): void {
    for (const source of this.#ahead.values()) source?.close?.();
    this.#ahead.clear();
  }

  #ask(request: SymbolRequest, question: string): SymbolSource | null {
    const source = this.#provider(request);
    const version = source?.file?.version;
    if (source !== null && !(version !== undefined && version.changedMs < this.#settledUntilMs)) {
      this.areProven = false;
    }
    this.transcript.push([question, source === null ? null : JSON.stringify(version ?? '')]);
    return source;
  }
}

/** A request but for the DSO. The file itself shows its build ID. */
function questionOf(request: SymbolRequest): string {
  const { dso: _, ...question } = request;
  return JSON.stringify(request.need === 'elf' ? { need: request.need } : question);
}

/** A rebuilt file mostly takes the place of the old one. */
function entryName(
  contents: Contents,
  buildId: string | null,
  { version }: NonNullable<SymbolSource['file']>,
): string {
  const id = /^[0-9a-f]{1,128}$/.test(buildId ?? '') ? buildId : 'no-build-id';
  return `${id}-${version.dev.toString(16)}-${version.inode.toString(16)}.${contents}`;
}

/**
 * The version of this code: what other code of ours has found counts for nothing, as it may have
 * looked by other rules. Null once the package was replaced.
 */
export function programVersion(): string | null {
  const stat = statSync(fileURLToPath(import.meta.url), { throwIfNoEntry: false });
  return stat === undefined ? null : `${packageVersion()} ${stat.size} ${stat.mtimeMs}`;
}
