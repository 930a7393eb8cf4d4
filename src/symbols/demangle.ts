import { demangleRustLegacy } from './demangle-rust-legacy.ts';
import { demangleRustV0 } from './demangle-rust-v0.ts';

/** C++ names: one result per name, null where it is not mangled. The addon's `demangle`. */
export type DemangleBatch = (names: readonly string[]) => (string | null)[];

/** Longer names are shown as they are; a mangled name of this length helps nobody. */
const MAX_MANGLED = 64 * 1024;

/** A Rust name as its source spells it; null if `name` is not a mangled Rust name. */
export function demangleRust(name: string): string | null {
  if (name.length > MAX_MANGLED) return null;
  return demangleRustV0(name) ?? demangleRustLegacy(name);
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
    const name = names[i] as string;
    if (!isMangled(name)) continue;
    const rust = demangleRust(name);
    if (rust !== null) {
      shown[i] = rust;
    } else if (name.startsWith('_Z') && name.length <= MAX_MANGLED) {
      cppNames.push(name);
      cppRows.push(i);
    }
  }
  if (cpp === null || cppNames.length === 0) return shown;
  const results = cpp(cppNames);
  for (let i = 0; i < cppRows.length; i++) {
    const result = results[i];
    if (result != null) shown[cppRows[i] as number] = result;
  }
  return shown;
}

function isMangled(name: string): boolean {
  return name.startsWith('_R') || name.startsWith('_Z') || name.startsWith('__');
}
