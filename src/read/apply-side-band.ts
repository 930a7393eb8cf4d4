import type { Diagnostics } from '../base/diagnostics.ts';
import { MAP } from '../base/mmap-bits.ts';
import { isKernelAddress } from '../base/u64.ts';
import type { ProcessTable } from '../code/process/process-table.ts';
import { PERF_RECORD_MISC } from '../kernel/perf-event/constants.ts';
import type { KernelRecord } from '../kernel/perf-event/record.ts';

const GUEST_MODES: readonly number[] = [PERF_RECORD_MISC.GUEST_KERNEL, PERF_RECORD_MISC.GUEST_USER];

/**
 * Tells the process table what a side-band record says. True if it may have changed who a tid is or
 * what an address means.
 */
export function applyToProcesses(
  processes: ProcessTable,
  record: KernelRecord,
  misc: number,
  diagnostics: Diagnostics,
): boolean {
  switch (record.kind) {
    case 'mmap':
    case 'mmap2': {
      // A guest's addresses are not those of the machine that it runs on.
      if (GUEST_MODES.includes(record.cpuMode)) return false;
      const isMapped = processes.mmap({
        pid: record.pid,
        tid: record.tid,
        start: record.address,
        length: record.length,
        fileOffset: record.fileOffset,
        path: record.filename,
        executable: !record.isData,
        cpuMode: isKernelMapping(record) ? 'kernel' : 'user',
        buildId: record.buildId,
        major: record.fileId?.major ?? 0,
        minor: record.fileId?.minor ?? 0,
        inode: Number(record.fileId?.inode ?? 0),
        isPrivate: (record.flags & MAP.TYPE) === MAP.PRIVATE,
      });
      if (!isMapped) diagnostics.count('number-out-of-range', `a mapping of ${record.filename}`);
      break;
    }
    case 'comm':
      processes.comm(record.pid, record.tid, record.comm, record.isExec);
      break;
    case 'fork':
      processes.fork(
        record.pid,
        record.parentPid,
        record.tid,
        record.parentTid,
        (misc & PERF_RECORD_MISC.FORK_EXEC) !== 0,
      );
      break;
    case 'exit':
      processes.exit(record.pid, record.tid);
      break;
    case 'ksymbol':
      processes.ksymbol(record.address, record.length, record.name, record.isUnregister);
      break;
    case 'cgroup':
      processes.cgroup(record.id, record.path);
      return false;
    default:
      return false;
  }
  return true;
}

/**
 * Tells a mapping of the kernel by its CPU mode; only a record that has none, or belongs to no
 * process, goes by the address.
 */
function isKernelMapping({
  cpuMode,
  pid,
  address,
  filename,
}: Pick<MappingRecord, 'cpuMode' | 'pid' | 'address' | 'filename'>): boolean {
  if (cpuMode === PERF_RECORD_MISC.KERNEL) return true;
  if (cpuMode === PERF_RECORD_MISC.USER && pid >= 0) return false;
  return isKernelAddress(address) && filename !== '[vsyscall]';
}

type MappingRecord = Extract<KernelRecord, { kind: 'mmap' | 'mmap2' }>;
