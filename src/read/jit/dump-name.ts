/** How JITs call their dumps: V8, LLVM and Java `jit-PID.dump`, JavaScriptCore with its thread. */
const NAMES = [/^jit-(\d+)\.dump$/, /^jit-(\d+)-(\d+)\.dump$/, /^jit-(\d+)-(\d+)-[A-Za-z0-9]{6}$/];

/** Stored of all jitdumps of a recording together. */
export const MAX_STORED_JITDUMP_BYTES = 256 * 2 ** 20;

const MAGIC = 0x4a695444;

/**
 * The pid among `pids`, by which the process may know itself, that the name of the dump at `path` has;
 * null if it has none of them: then another process wrote it. The header of the dump has the pid as well,
 * which `readJitdump` compares with this one.
 */
export function dumpWriter(path: string, pids: readonly (number | null)[]): number | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (const pattern of NAMES) {
    const [, ...numbers] = pattern.exec(name) ?? [];
    const found = numbers.map(Number).find((number) => pids.includes(number));
    if (found !== undefined) return found;
  }
  return null;
}

/** Name of the attachment with a jitdump of a process; `file`: its name without directories. */
export function jitdumpAttachment(pid: number, file: string): string {
  return `jitdump/${pid}/${file}`;
}

/** The pid in the header of a jitdump; null if these bytes begin none. */
export function readJitdumpPid(bytes: Uint8Array): number | null {
  if (bytes.length < 40) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, 40);
  const littleEndian = view.getUint32(0, true) === MAGIC;
  if (!littleEndian && view.getUint32(0, false) !== MAGIC) return null;
  return view.getUint32(20, littleEndian);
}
