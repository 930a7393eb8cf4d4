import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import type { KeptPart } from '../../system/files/kept-parts.ts';
import { stateOfFile } from '../../system/small-file.ts';

type Exports = Record<string, unknown>;

/** A file of the bundle as it was on the disk. */
type FileText = {
  readonly bytes: Buffer;
  readonly state: string;
};

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
  /** Files that are not loaded yet, once `hold` was called. */
  readonly #held = new Map<string, FileText>();
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

  /** Keeps the files that are not loaded: the package may be replaced or removed while a recording runs. */
  hold(): void {
    try {
      for (const file of readdirSync(this.#folder)) {
        const name = `./${file}`;
        if (file.endsWith('.js') && !this.#files.has(name)) this.#held.set(name, this.#read(name));
      }
    } catch {
      // It is being replaced now.
    }
  }

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
    const text = this.#held.get(name) ?? this.#read(name);
    this.#held.delete(name);
    const script = this.#compile(name, path, text);
    const module = { exports: {} };
    this.#files.set(name, { module, script, state: text.state });
    const run = script.runInThisContext() as Wrapper;
    run.call(module.exports, module.exports, this.require, module, path, this.#folder);
    return module.exports;
  }

  #read(name: string): FileText {
    const path = join(this.#folder, name);
    const state = stateOfFile(path);
    return { bytes: readFileSync(path), state };
  }

  #compile(name: string, path: string, { bytes, state }: FileText): Script {
    const stored = this.#known.get(name);
    const cachedData = stored?.state === state ? stored.bytes : undefined;
    const source = `(function (exports, require, module, __filename, __dirname) {${bytes.toString()}\n})`;
    const script = new Script(source, { filename: path, cachedData });
    if (cachedData === undefined || script.cachedDataRejected === true) this.#missing++;
    return script;
  }
}
