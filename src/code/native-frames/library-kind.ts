import type { Dso, FuncCategory } from '../../profile/types.ts';

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

/** The kind that stands for the functions of a file, and whose code they are. */
export type Library = { readonly label: string; readonly category: FuncCategory };

export const C_LIBRARY: Library = { label: '(libc)', category: 'libc' };

/**
 * The kind that stands for the functions of a file: `(libc)`, `(libstdc++)`, `(dynamic loader)`. Versions
 * are left out: `libcrypto.so.3`, `libc-2.31.so`. An executable is its program's, but in one of which only the
 * file is known the standard library may lie as well.
 */
export function libraryKind(dso: Dso): Library {
  const { kind, name, path } = dso;
  if (kind === 'unknown') return { label: '(native)', category: 'unknown' };
  if (kind === 'jit') return { label: '(JIT code without names)', category: 'unknown' };
  if (kind === 'vdso') return { label: '(vDSO)', category: 'libc' };
  if (name.startsWith('ld-linux') || /^ld-\d/.test(name)) {
    return { label: '(dynamic loader)', category: 'libc' };
  }
  // The C library of musl is its loader, too.
  if (name.startsWith('ld-musl')) return C_LIBRARY;
  const stem = name.replace(/ \(deleted\)$/, '').replace(/(?:-\d[\d.]*)?\.so(?:\.[\w.]+)?$/, '');
  return { label: `(${stem})`, category: categoryOfFile(dso, path) };
}

/** Standard libraries in files of their own, with the support code of compilers. */
const STANDARD_LIBRARY = /^lib(?:stdc\+\+|c\+\+(?:abi)?|gcc_s|atomic|std|go)[.-]/;

function categoryOfFile(dso: Dso, path: string): FuncCategory {
  if (path.includes('/node_modules/')) return 'dependency';
  if (STANDARD_LIBRARY.test(dso.name)) return 'standard library';
  if (isSystemLibrary(dso.name)) return 'libc';
  return isExecutable(dso) ? 'unknown' : 'native';
}
