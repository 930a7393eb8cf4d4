import { Diagnostics } from '../../base/diagnostics.ts';
import { getOrMake } from '../../base/group-by.ts';
import { isSystemError } from '../../base/system-error.ts';
import { readBuildId } from '../../code/elf/build-id.ts';
import { parseElf } from '../../code/elf/elf-file.ts';
import { openRegularBelow } from '../../system/files/open-below.ts';
import { openRegular } from '../../system/files/open-regular.ts';
import { livingThread } from '../../system/processes/living-thread.ts';
import type { ProcMapping } from '../../system/processes/system-processes.ts';

/** Maximum length that MMAP2 has room for. */
const MAX_HEX_DIGITS = 40;

/**
 * Build IDs of files that were mapped before the recording began, as the kernel reports them of
 * those mapped later. Each file is looked at once.
 */
export class MappedBuildIds {
  readonly #byFile = new Map<string, string | null>();

  /** Null if the mapping is of no ELF file, the file has none, or it can't be reached. */
  of(pid: number, mapping: ProcMapping): string | null {
    const { major, minor, inode, path } = mapping;
    if (inode === 0n || !path.startsWith('/')) return null;
    const file = `${major}:${minor}:${inode}`;
    return getOrMake(this.#byFile, file, () => readFrom(pid, mapping));
  }
}

/**
 * The kernel's own link leads to the mapped file even where it was deleted or replaced; following
 * it takes privileges that a path does not.
 */
function readFrom(pid: number, { start, end, path, inode }: ProcMapping): string | null {
  const area = `${start.toString(16)}-${end.toString(16)}`;
  const tid = livingThread(pid);
  const candidates = [
    () => openRegular(`/proc/${tid}/map_files/${area}`),
    () => openRegularBelow(`/proc/${tid}/root`, path),
  ];
  for (const open of candidates) {
    const file = open();
    if (typeof file === 'string') continue;
    try {
      if (BigInt(file.inode) !== inode) continue;
      const uncounted = new Diagnostics();
      const elf = parseElf(file.source, uncounted);
      const buildId = elf && readBuildId(elf, uncounted);
      return buildId !== null && buildId.length <= MAX_HEX_DIGITS ? buildId : null;
    } catch (error) {
      // A file that can't be read now is known by its inode, as one without a build ID.
      if (!isSystemError(error)) throw error;
    } finally {
      file.source.close?.();
    }
  }
  return null;
}
