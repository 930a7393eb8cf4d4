import type { DsoKey, MappingRecord } from './types.ts';

/**
 * The object that backs a mapping, from its path and protection. The kernel's spellings:
 *
 *   [kernel.kallsyms]_text   the kernel image; `_text` names the symbol at its start
 *   [hid], /lib/…/hid.ko     a module
 *   //anon                   memory without a file; executable, it is JIT code
 *   /dev/zero (deleted)      shared anonymous memory
 *   /memfd:name (deleted)    a file without a path: a program that was put there and started, mapped
 *                            privately by its loader; or of a JIT that maps its code twice, shared
 *   [heap], [stack]          executable only where a program asked for trouble, or a JIT
 */
export function dsoKeyOf(mmap: MappingRecord): DsoKey {
  const { path } = mmap;
  if (mmap.cpuMode === 'kernel') return kernelKeyOf(path);
  if (path === '[vdso]') return { kind: 'vdso' };
  const isProgram =
    path.startsWith('/memfd:') && (mmap.isPrivate === true || mmap.buildId !== null);
  if (isAnonymous(path) && !isProgram) {
    return mmap.executable ? { kind: 'jit', pid: mmap.pid } : { kind: 'unknown', name: path };
  }
  if (path === '' || path.startsWith('[')) return { kind: 'unknown', name: path || '[unknown]' };
  return { kind: 'user-file', path, fileId: fileIdOf(mmap) };
}

function kernelKeyOf(path: string): DsoKey {
  const bracketed = /^\[(.+)\]/.exec(path);
  const name = bracketed === null ? moduleNameOf(path) : bracketed[1];
  if (name === 'kernel.kallsyms' || name === 'kernel.vmlinux' || name === 'kernel') {
    return { kind: 'kernel' };
  }
  return { kind: 'kernel-module', name };
}

/** `/lib/modules/6.1.0/kernel/net/nf-nat.ko.xz` is the module that kallsyms calls `nf_nat`. */
function moduleNameOf(path: string): string {
  const file = path.slice(path.lastIndexOf('/') + 1);
  return file.replace(/\.ko(\.(gz|xz|zst))?$/, '').replaceAll('-', '_');
}

function isAnonymous(path: string): boolean {
  return (
    path === '//anon' ||
    path === '[heap]' ||
    path.startsWith('[stack') ||
    path.startsWith('[anon:') ||
    path.startsWith('/SYSV') ||
    path.startsWith('/dev/zero') ||
    path.startsWith('/anon_hugepage') ||
    path.startsWith('/memfd:') ||
    path.startsWith('/dev/ashmem/') ||
    path.startsWith('anon_inode:') ||
    path === 'anon_inode'
  );
}

function fileIdOf({ buildId, major, minor, inode }: MappingRecord): string {
  if (buildId !== null) return buildId;
  return inode === 0 ? '' : `${major}:${minor}:${inode}`;
}
