import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { FailedError } from '../base/errors.ts';
import { packageFile } from '../system/version.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/**
 * The files of a folder of this package, by name. The folder is listed once; a request is looked up
 * in that list, so that no name that a request makes up comes near the file system.
 */
export class StaticFiles {
  readonly #directory: string;
  readonly #names: ReadonlySet<string>;

  constructor(directory: string, names: readonly string[]) {
    this.#directory = directory;
    this.#names = new Set(names.filter((name) => extname(name) in TYPES));
  }

  /** Null: there is no such file. */
  find(name: string): { readonly type: string; readonly bytes: Uint8Array } | null {
    if (!this.#names.has(name)) return null;
    const type = TYPES[extname(name)];
    return { type, bytes: readFileSync(join(this.#directory, name)) };
  }
}

/** The files that `npm run build:web` made. */
export function pageFiles(): StaticFiles {
  return listed(packageFile('dist/web/'), ['build it with: npm run build:web']);
}

/** Speedscope's own release, from the package that this one depends on. */
export function speedscopeFiles(): StaticFiles {
  const manifest = createRequire(import.meta.url).resolve('speedscope/package.json');
  return listed(join(dirname(manifest), 'dist/release'), ['install it with: npm install']);
}

function listed(directory: string, hints: readonly string[]): StaticFiles {
  try {
    return new StaticFiles(directory, readdirSync(directory));
  } catch (error) {
    throw new FailedError(`the page's files are not there: ${(error as Error).message}`, hints);
  }
}
