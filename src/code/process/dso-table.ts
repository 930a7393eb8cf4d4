import type { Dso, DsoIndex, DsoKind } from '../../profile/types.ts';
import type { DsoKey } from './types.ts';

/** Every distinct DSO once, by its key. */
export class DsoTable {
  readonly #keys: DsoKey[] = [];
  readonly #buildIds: (string | null)[] = [];
  readonly #indexOf = new Map<string, DsoIndex>();
  /** Indexed by path; null where the list has two for one path. */
  readonly #listed = new Map<string, string | null>();

  get length(): number {
    return this.#keys.length;
  }

  /** The index of `key`, new or existing. A build ID, once known, stays. */
  intern(key: DsoKey, buildId: string | null = null): DsoIndex {
    const text = keyText(key);
    const known = this.#indexOf.get(text);
    if (known !== undefined) {
      this.#buildIds[known] ??= buildId;
      return known;
    }
    const index = this.#keys.length as DsoIndex;
    this.#keys.push(key);
    this.#buildIds.push(buildId);
    this.#indexOf.set(text, index);
    return index;
  }

  key(index: DsoIndex): DsoKey {
    return this.#keys[index];
  }

  /** A text that is the same for equal keys only, in all tables. */
  keyText(index: DsoIndex): string {
    return keyText(this.#keys[index]);
  }

  /** Lower-case hex, null if unknown. */
  buildId(index: DsoIndex): string | null {
    const own = this.#buildIds[index];
    return own ?? this.#listed.get(dsoPath(this.#keys[index])) ?? null;
  }

  /**
   * Takes a build ID from the recording's own list, which names DSOs by path: `/usr/bin/node`,
   * `[kernel.kallsyms]`, `[vdso]`, `[hid]`. Mappings that carry their own keep it. With two build
   * IDs the path had two files, and which of them a mapping was of is not known.
   */
  setBuildId(path: string, buildId: string): void {
    const before = this.#listed.get(path);
    this.#listed.set(path, before === undefined || before === buildId ? buildId : null);
  }

  /** Rows for the profile. */
  finish(): Dso[] {
    return this.#keys.map((key, i) => ({
      kind: dsoKind(key),
      name: dsoName(key),
      path: dsoPath(key),
      buildId: this.buildId(i as DsoIndex),
    }));
  }
}

function keyText(key: DsoKey): string {
  switch (key.kind) {
    case 'kernel':
    case 'vdso':
      return key.kind;
    case 'kernel-module':
    case 'bpf':
    case 'guest':
    case 'unknown':
      return `${key.kind}\0${key.name}`;
    case 'user-file':
      return `${key.kind}\0${key.fileId}\0${key.path}`;
    case 'jit':
      return `${key.kind}\0${key.pid}\0${key.generation ?? 0}`;
  }
}

function dsoKind(key: DsoKey): DsoKind {
  switch (key.kind) {
    case 'kernel':
      return 'kernel';
    case 'kernel-module':
    case 'bpf':
      return 'module';
    case 'vdso':
      return 'vdso';
    case 'user-file':
      return 'user';
    case 'jit':
      return 'jit';
    case 'guest':
      return 'guest';
    case 'unknown':
      return 'unknown';
  }
}

function dsoName(key: DsoKey): string {
  if (key.kind === 'user-file') return key.path.slice(key.path.lastIndexOf('/') + 1) || key.path;
  if (key.kind === 'jit') return `[JIT] tid ${key.pid}`;
  return dsoPath(key);
}

function dsoPath(key: DsoKey): string {
  switch (key.kind) {
    case 'kernel':
      return '[kernel.kallsyms]';
    case 'kernel-module':
      return `[${key.name}]`;
    case 'bpf':
    case 'guest':
    case 'unknown':
      return key.name;
    case 'vdso':
      return '[vdso]';
    case 'user-file':
      return key.path;
    case 'jit':
      return `/tmp/perf-${key.pid}.map`;
  }
}
