import { constants, mkdirSync, promises, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PlainCode } from '../../base/diagnostic-code.ts';
import { Diagnostics } from '../../base/diagnostics.ts';
import { UsageError } from '../../base/errors.ts';
import { lateModules } from '../../base/late-modules.ts';
import { words } from '../../base/words.ts';
import { readBuildId } from '../../code/elf/build-id.ts';
import { parseElf } from '../../code/elf/elf-file.ts';
import { fitted } from '../../options/option-error.ts';
import { WEIGHING } from '../../options/reading.ts';
import { openRegular } from '../../system/files/open-regular.ts';
import { mayRedirect } from './redirect.ts';

/** The kinds of files that a debuginfod server has of a build. */
export type DebuginfodKind = 'debuginfo' | 'executable';

export type DebuginfodOptions = {
  /** Servers, asked in this order until one has the file. */
  readonly urls: readonly string[];
  /** The client's cache: `BUILD-ID/debuginfo`, `BUILD-ID/executable`. */
  readonly directory: string;
  readonly diagnostics: Diagnostics;
  /** Time limit for one file, from the request to its last byte. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
};

const TIMEOUT_MS = 90_000;
const MAX_BYTES = 2 ** 31;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 5;
const BUILD_ID = /^[0-9a-f]{6,128}$/;
/** A server that does not answer is not asked again. */
type Server = { readonly url: string; isDown: boolean };

/** The servers that are named, or those of DEBUGINFOD_URLS. Throws `UsageError` if there are none. */
export function debuginfodUrls(
  named: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): readonly string[] {
  const option = WEIGHING.debuginfod;
  const ofUser = environment.DEBUGINFOD_URLS ?? '';
  const urls =
    named.length > 0 ? named : fitted(option, option.kind, ofUser, () => option.kind.read(ofUser));
  if (urls.length > 0) return urls;
  throw new UsageError(words`${option}: no server is named`, [
    words`export DEBUGINFOD_URLS=https://debuginfod.debian.net, or ${option.as(['URL'])}`,
  ]);
}

/**
 * A client of debuginfod: files by build ID from servers on the net, kept where debuginfod's own
 * client keeps them. A file is stored only whole, and only if it has the build ID asked for.
 */
export class Debuginfod {
  readonly #options: DebuginfodOptions;
  readonly #servers: readonly Server[];

  constructor(options: DebuginfodOptions) {
    this.#options = options;
    this.#servers = options.urls.map((url) => ({ url: url.replace(/\/+$/, ''), isDown: false }));
  }

  /** Whether the file is in the cache now. What keeps it out is counted. */
  async fetch(buildId: string, kind: DebuginfodKind): Promise<boolean> {
    if (!BUILD_ID.test(buildId)) return false;
    const folder = join(this.#options.directory, buildId);
    const target = join(folder, kind);
    if (hasBuildId(target, buildId)) return true;
    for (const server of this.#servers) {
      if (server.isDown) continue;
      const unfinished = join(
        folder,
        `${kind}.${lateModules.crypto.randomBytes(6).toString('hex')}`,
      );
      try {
        const response = await this.#request(`${server.url}/buildid/${buildId}/${kind}`);
        if (response === null) continue;
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        await this.#store(response, unfinished);
        if (hasBuildId(unfinished, buildId)) {
          renameSync(unfinished, target);
          return true;
        }
        this.#count('debuginfod-file-of-other-build', server.url);
      } catch (error) {
        server.isDown = true;
        const cause = (error as Error).cause;
        const why = cause instanceof Error ? cause.message : (error as Error).message;
        this.#count('debuginfod-server-down', `${server.url}: ${why}`);
      } finally {
        rmSync(unfinished, { force: true });
      }
    }
    return false;
  }

  /** The answer with the file; null if the server does not have it. */
  async #request(url: string): Promise<Response | null> {
    const signal = AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS);
    const headers = { 'User-Agent': 'perf-ts' };
    let at = new URL(url);
    for (let redirects = 0; ; redirects++) {
      const response = await fetch(at, { signal, headers, redirect: 'manual' });
      if (response.status === 200) return response;
      await response.body?.cancel();
      if (response.status === 404) return null;
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || location === null) {
        throw new Error(`it answers with status ${response.status}`);
      }
      const to = new URL(location, at);
      if (redirects >= MOST_REDIRECTS || !(await mayRedirect(at, to))) {
        throw new Error(`it redirects to ${to.origin}, which is not followed`);
      }
      at = to;
    }
  }

  async #store(response: Response, path: string): Promise<void> {
    const maxBytes = this.#options.maxBytes ?? MAX_BYTES;
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const file = await promises.open(path, flags, 0o600);
    try {
      let length = 0;
      for await (const part of response.body ?? []) {
        length += part.length;
        if (length > maxBytes) throw new Error(`it sends more than ${maxBytes} bytes`);
        await file.write(part);
      }
    } finally {
      await file.close();
    }
  }

  #count(code: PlainCode, detail: string): void {
    this.#options.diagnostics.count(code, detail);
  }
}

function hasBuildId(path: string, buildId: string): boolean {
  const file = openRegular(path);
  if (typeof file === 'string') return false;
  try {
    const uncounted = new Diagnostics();
    const elf = parseElf(file.source, uncounted);
    return elf !== null && readBuildId(elf, uncounted) === buildId;
  } finally {
    file.source.close?.();
  }
}
