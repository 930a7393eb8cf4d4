import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import type { KeptPart } from '../../system/files/kept-parts.ts';

type Exports = Record<string, unknown>;

/** A file of the bundle that is loaded, or being loaded. */
type LoadedFile = {
  readonly module: { exports: Exports };
  readonly script: Script;
  readonly state: string;
};

type Wrapper = (
  exports: Exports,
  require: (name: string) => unknown,
  module: { exports: Exports },
  path: string,
  folder: string,
) => void;

/**
 * Loads the files of the bundle as Node loads CommonJS, but with code that V8 has compiled in an earlier run:
 * functions too, which V8 otherwise compiles one by one when each is first called. Everything that is not a file of
 * the bundle comes from Node.
 */
export class Bundle {
  readonly #folder: string;
  readonly #known: ReadonlyMap<string, KeptPart>;
  readonly #requireOutside: NodeJS.Require;
  readonly #files = new Map<string, LoadedFile>();
  #missing = 0;

  constructor(folder: string, known: ReadonlyMap<string, KeptPart>) {
    this.#folder = folder;
    this.#known = known;
    this.#requireOutside = createRequire(join(folder, 'main.js'));
  }

  /** How many files had no code of an earlier run, or code that V8 refused. */
  get missing(): number {
    return this.#missing;
  }

  readonly require = (name: string): unknown =>
    name.startsWith('./') ? this.#load(name) : this.#requireOutside(name);

  /** The code of all loaded files, of the functions that were called so far. */
  compiled(): KeptPart[] {
    return Array.from(this.#files, ([name, { script, state }]) => ({
      name,
      state,
      bytes: script.createCachedData(),
    }));
  }

  #load(name: string): Exports {
    const loaded = this.#files.get(name);
    if (loaded !== undefined) return loaded.module.exports;
    const path = join(this.#folder, name);
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
    const state = [dev, ino, size, mtimeMs, ctimeMs].join(' ');
    const script = this.#compile(name, path, state);
    const module = { exports: {} };
    this.#files.set(name, { module, script, state });
    const run = script.runInThisContext() as Wrapper;
    run.call(module.exports, module.exports, this.require, module, path, this.#folder);
    return module.exports;
  }

  #compile(name: string, path: string, state: string): Script {
    const stored = this.#known.get(name);
    const cachedData = stored?.state === state ? stored.bytes : undefined;
    const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'utf8')}\n})`;
    const script = new Script(source, { filename: path, cachedData });
    if (cachedData === undefined || script.cachedDataRejected === true) this.#missing++;
    return script;
  }
}
