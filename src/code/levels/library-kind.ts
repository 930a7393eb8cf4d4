import type { Dso } from '../../profile/types.ts';

/** Shared libraries that every native program calls: below others they are part of these. */
const SYSTEM_LIBRARY =
  /^(?:lib(?:c|m|pthread|dl|rt|stdc\+\+|gcc_s|atomic|c\+\+(?:abi)?)[.-]|ld-(?:linux|musl|\d)|\[vdso\])/;

export function isSystemLibrary(dsoName: string): boolean {
  return SYSTEM_LIBRARY.test(dsoName);
}

/** Shared objects, addons of Node, and memory without a file. */
const NO_EXECUTABLE = /\.(?:so(?:\.[\w.]+)?|node)(?: \(deleted\))?$|^\[|^\/\/anon|^\/?memfd:/;

/** Whether a DSO is a program, not a library: its name tells. */
export function isExecutable({ kind, path }: Dso): boolean {
  return kind === 'user' && !NO_EXECUTABLE.test(path);
}

/**
 * The kind that stands for the functions of a file: `(libc)`, `(libstdc++)`, `(dynamic loader)`. Versions
 * are left out: `libcrypto.so.3`, `libc-2.31.so`.
 */
export function libraryKind({ kind, name }: Dso): string {
  if (kind === 'unknown') return '(native)';
  if (kind === 'jit') return '(JIT code without names)';
  if (kind === 'vdso') return '(vDSO)';
  if (name.startsWith('ld-linux') || /^ld-\d/.test(name)) return '(dynamic loader)';
  // The C library of musl is its loader, too.
  if (name.startsWith('ld-musl')) return '(libc)';
  const stem = name.replace(/ \(deleted\)$/, '').replace(/(?:-\d[\d.]*)?\.so(?:\.[\w.]+)?$/, '');
  return `(${stem})`;
}
