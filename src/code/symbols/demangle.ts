import { getOrMake } from '../../base/group-by.ts';
import { demangleRustLegacy } from './demangle-rust-legacy.ts';
import { demangleRustV0 } from './demangle-rust-v0.ts';

/** C++ names: one result per name, null where it is not mangled. The addon's `demangle`. */
export type DemangleBatch = (names: readonly string[]) => (string | null)[];

/** Longer names are shown as they are; a mangled name of this length helps nobody. */
const MAX_MANGLED = 64 * 1024;

/** The suffix that LLVM appends to a local symbol that it makes visible elsewhere: a hash that means nothing. */
const LLVM_HASH = /\.llvm\.[0-9A-F@]+(?=\.|$)/;
/**
 * A Rust name as its source spells it; null if `name` is not a mangled Rust name. Parts of a function
 * that the compiler has split off keep their suffix, written as LLVM does: `core::fmt::write (.cold)`.
 */
export function demangleRust(name: string): string | null {
  if (name.length > MAX_MANGLED) return null;
  const plain = name.replace(LLVM_HASH, '');
  const shown = demangleRustV0(plain) ?? demangleRustLegacy(plain);
  return shown === null ? null : shown + partOf(plain);
}

/**
 * `.cold`, `.warm.0`: what is behind the mangled name proper. A legacy name may have dots of its own, up
 * to its hash.
 */
function partOf(name: string): string {
  const match = /^_*R[^.]*(\.[.\w]+)$|h[0-9a-f]{16}E(\.[.\w]+)$/.exec(name);
  const part = match?.[1] ?? match?.[2];
  return part === undefined ? '' : ` (${part})`;
}

/**
 * Shows a name at a time, and each once. Tables of symbols keep it for their aliases, for longer than whoever has read
 * them is there: it holds nothing but names.
 */
export function demangleOnce(cpp: DemangleBatch | null): (name: string) => string {
  const shownNames = new Map<string, string>();
  return (name) => getOrMake(shownNames, name, () => demangleAll([name], cpp)[0]);
}

/**
 * Names as they should be shown: Rust first, because its older names are also valid C++ ones (with
 * a hash at the end), then C++ in one batch through `cpp`, null where there is no addon. A name
 * that is not mangled is its own result.
 */
export function demangleAll(names: readonly string[], cpp: DemangleBatch | null): string[] {
  const shown = names.slice();
  const cppNames: string[] = [];
  const cppRows: number[] = [];
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    if (!isMangled(name)) continue;
    const rust = demangleRust(name);
    if (rust !== null) {
      shown[i] = rust;
    } else if (CPP_PREFIX.test(name) && name.length <= MAX_MANGLED) {
      cppNames.push(withoutHexHash(name));
      cppRows.push(i);
    }
  }
  if (cpp === null || cppNames.length === 0) return shown;
  const results = cpp(cppNames);
  for (let i = 0; i < cppRows.length; i++) {
    const result = results[i];
    if (result != null) shown[cppRows[i]] = result;
  }
  return shown;
}

/** Names, and what GCC calls the constructors and destructors of a file's globals. */
const CPP_PREFIX = /^(?:_Z|_GLOBAL_[._$][ID]_)/;

/** An LLVM hash in hex, of its older versions, is no suffix that libstdc++ knows; it drops decimal ones. */
function withoutHexHash(name: string): string {
  return name.replace(LLVM_HASH, (hash) => (/[A-F@]/.test(hash.slice(6)) ? '' : hash));
}

function isMangled(name: string): boolean {
  return name.startsWith('_R') || name.startsWith('__') || CPP_PREFIX.test(name);
}
