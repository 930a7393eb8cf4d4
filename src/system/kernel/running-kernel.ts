import { closeSync, openSync } from 'node:fs';
import { readSome } from '../files/read-some.ts';
import { readTextOrEmpty } from '../small-file.ts';

/** The kernel's own code range and the modules', as the recording has to describe them. */
export type KernelImage = {
  /** Addresses from `_text` to the first module above it, or to the top; null when addresses are hidden. */
  readonly text: { readonly start: bigint; readonly end: bigint } | null;
  readonly modules: readonly KernelModule[];
  /** The errno's name where the list could not be read; else null. */
  readonly refusal: string | null;
};

export type KernelModule = {
  readonly name: string;
  readonly start: bigint;
  readonly size: bigint;
};

const TOP_OF_ADDRESS_SPACE = 0xffff_ffff_ffff_ffffn;

/**
 * Reads `/proc/kallsyms` (only as far as `_text`: making the whole list costs the kernel 0.1 s) and
 * `/proc/modules`. With `kptr_restrict`, or without CAP_SYSLOG, every address reads 0 and the image
 * is unknown: kernel samples then stay unnamed, which is reported.
 */
export function readKernelImage(): KernelImage {
  const modules = parseModules(readTextOrEmpty('/proc/modules'));
  let start: bigint | null;
  try {
    start = findTextStart();
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    return { text: null, modules, refusal: code };
  }
  if (start === null) return { text: null, modules, refusal: null };
  let end = TOP_OF_ADDRESS_SPACE;
  for (const module of modules) {
    if (module.start > start && module.start < end) end = module.start;
  }
  return { text: { start, end }, modules, refusal: null };
}

/** The address of `_text`, near the head of the list on every architecture; null when hidden. */
function findTextStart(): bigint | null {
  let fd = -1;
  try {
    fd = openSync('/proc/kallsyms', 'r');
    const block = Buffer.alloc(64 * 1024);
    let tail = '';
    for (;;) {
      const length = readSome(fd, block, 0, block.length, null);
      if (length === 0) return null;
      const text = tail + block.toString('latin1', 0, length);
      const match = /^([0-9a-f]+) [tT] _(?:text|stext)$/m.exec(text);
      if (match) {
        const address = BigInt(`0x${match[1]}`);
        return address === 0n ? null : address;
      }
      tail = text.slice(text.lastIndexOf('\n') + 1);
    }
  } finally {
    if (fd >= 0) closeSync(fd);
  }
}

const MODULE_LINE = /^(\S+) (\d{1,16}) \S+ \S+ \S+ (0x[0-9a-f]{1,16})(?: |$)/;

/** `name size refcount dependencies state address (taint)`, one module a line. */
export function parseModules(text: string): KernelModule[] {
  const modules: KernelModule[] = [];
  for (const line of text.split('\n')) {
    const [, name, size, address] = MODULE_LINE.exec(line) ?? [];
    if (name === undefined) continue;
    const start = BigInt(address);
    if (start !== 0n) modules.push({ name, start, size: BigInt(size) });
  }
  return modules;
}
