// Hot: threadAt once per sample, findMapping once per frame.

import { NONE } from '../../base/brand.ts';
import { tooLarge } from '../../base/errors.ts';
import { GrowableInt32 } from '../../base/growable-columns.ts';
import type { StringIndex, StringTable } from '../../base/string-table.ts';
import { isKernelAddress } from '../../base/u64.ts';
import type { ProfileThread, ThreadIndex } from '../../profile/types.ts';
import { AddressSpace } from './address-space.ts';
import { dsoKeyOf } from './dso-key.ts';
import { DsoTable } from './dso-table.ts';
import { MappingTable } from './mapping-table.ts';
import type { DsoIndex, DsoKey, MappingIndex, MappingRecord } from './types.ts';

/** Rows of mappings below which none is looked for that no process has any more. */
const LEAST_SWEPT = 4096;

/** Start of the kernel's half with five-level page tables, the largest there is. */
const KERNEL_HALF_START = -(2 ** 56);

// The vsyscall page of x86-64: user code at one address of the kernel's half, in every process.
const VSYSCALL_START = -0xa00000;
const VSYSCALL_END = VSYSCALL_START + 0x1000;

function isVsyscall(address: number): boolean {
  return address >= VSYSCALL_START && address < VSYSCALL_END;
}

/** One use of a pid: from fork or exec to the next exec or reuse. */
type Process = {
  readonly pid: number;
  readonly generation: number;
  /** That of a parent or child as well, if it has more than one owner: clone it before writing. */
  space: AddressSpace;
  readonly parentPid: number;
  /** The comm that it was given by exec, or else that of its first thread when that was met. */
  name: StringIndex;
  /** The number of the control group that a sample of it had last; −1 where no sample has one. */
  cgroup: number;
  /** Forked, and nothing heard of it since. */
  isPristine: boolean;
  /** Threads of the process that `ProcessTable` knows. */
  threads: number;
};

type Thread = {
  readonly tid: number;
  readonly process: Process;
  comm: StringIndex;
  /** Row in the profile, −1 until a sample asks for it. */
  index: ThreadIndex | typeof NONE;
};

/** The reference symbol of the kernel that was recorded, for telling whether it has moved since. */
export type KernelReference = { readonly symbol: string; readonly address: number };

/**
 * Processes, threads and mappings over time. Fed with side-band records in time order, it answers at
 * any moment which thread a pid and tid are, what that thread is called, and what is mapped at an
 * address.
 *
 * A process has generations: exec and reuse of its pid start a new one without mappings or
 * threads. A forked process shares its parent's mappings until either of them maps something.
 * Kernel mappings are common to all; where no record said otherwise a kernel address belongs to
 * the kernel proper.
 *
 * Threads get a row in the profile when a sample first asks for them, so what never ran while
 * sampled takes no room there.
 */
export class ProcessTable {
  readonly dsos = new DsoTable();
  readonly mappings = new MappingTable();
  /** Pid -> paths of the jitdumps that it mapped, which is how a JIT reports that it writes one. */
  readonly jitdumps = new Map<number, Set<string>>();
  readonly #strings: StringTable;
  readonly #processes = new Map<number, Process>();
  readonly #threads = new Map<number, Thread>();
  /** Paths of control groups by their numbers. */
  readonly #cgroups = new Map<number, string>();
  readonly #kernelSpace = new AddressSpace();
  #vsyscall: number = NONE;
  #kernelReference: KernelReference | null = null;
  /** Bytes of mappings that forked processes may copy from others; records beyond are refused. */
  mostCopiedBytes = Number.POSITIVE_INFINITY;
  /** Threads, processes and mapped files, of each as many; beyond, records are refused. */
  mostOfEach = Number.POSITIVE_INFINITY;
  /** False: threads and processes that have ended are noted for `forgetEnded`. */
  keepsEnded = true;
  /** DSOs that some process has mapped since whoever set this looked last; null: nobody does. */
  mappedSince: Set<DsoIndex> | null = null;
  /** Bytes that the spaces in use have copied from others. */
  #copiedBytes = 0;

  /** Rows of the profile's thread table. */
  readonly #rows: Thread[] = [];
  readonly #rowComm = new GrowableInt32();
  /** Threads that have ended since `forgetEnded`, and those that it still keeps. */
  #ended: Thread[] = [];
  #endedBefore: Thread[] = [];
  /** Rows of mappings at which those of processes that are gone are given back. */
  #sweptAt = LEAST_SWEPT;

  // Answers of the last lookup; forgotten when a record changes them.
  #lastPid = NONE;
  #lastSpace: AddressSpace | null = null;
  #lastThreadPid = NONE;
  #lastTid = NONE;
  #lastThread = NONE as ThreadIndex;

  constructor(strings: StringTable) {
    this.#strings = strings;
    const kernel = this.dsos.intern({ kind: 'kernel' });
    const everywhere = this.mappings.add(KERNEL_HALF_START, 0, KERNEL_HALF_START, kernel, false);
    this.#kernelSpace.add(KERNEL_HALF_START, 0, everywhere);
  }

  /** A MMAP or MMAP2 record. False, and nothing is changed, where no file has what it maps. */
  mmap(fields: MappingRecord): boolean {
    const key = dsoKeyOf(fields);
    const isFile = key.kind === 'user-file' || key.kind === 'vdso';
    if (isFile && !isInFile(fields)) return false;
    const dso = this.dsos.intern(key, fields.buildId);
    this.#checkNumber(this.dsos.length, 'mapped files');
    const { start, length, fileOffset } = fields;
    if (key.kind === 'kernel') this.#noteKernelReference(fields);
    const end = clampEnd(start, start + length);
    const row = this.mappings.add(start, end, fileOffset, dso, isFile, fields.executable);
    // By who maps it, not by the half: processes of sparc64 have addresses in the upper one.
    if (key.kind === 'kernel' || key.kind === 'kernel-module') {
      this.#kernelSpace.add(start, end, row);
      return true;
    }
    this.mappedSince?.add(dso);
    const process = this.#processAt(fields.pid);
    process.isPristine = false;
    const space = this.#ownSpace(process);
    const copiedBytes = space.copiedBytes;
    space.add(start, end, row);
    this.#noteCopied(space.copiedBytes - copiedBytes);
    if (key.kind !== 'unknown') space.changeGeneration();
    if (fields.executable && JITDUMP_PATH.test(fields.path)) this.#noteJitdump(fields);
    return true;
  }

  #noteCopied(bytes: number): void {
    this.#copiedBytes += bytes;
    if (this.#copiedBytes > this.mostCopiedBytes) {
      throw tooLarge(
        `the mappings of its ${this.#processes.size} processes, as each fork copies them, take more ` +
          `than ${this.mostCopiedBytes} bytes`,
        'is',
      );
    }
  }

  #checkNumber(count: number, what: string): void {
    if (count <= this.mostOfEach) return;
    throw tooLarge(`it has more than ${Math.floor(this.mostOfEach)} ${what}`, 'are');
  }

  #noteJitdump({ pid, path }: MappingRecord): void {
    const paths = this.jitdumps.get(pid) ?? new Set();
    if (paths.size < MOST_JITDUMPS) paths.add(path);
    this.jitdumps.set(pid, paths);
  }

  /**
   * A KSYMBOL record: a BPF program or other code appeared in the kernel, or went away. Its
   * mapping stays after it went, for samples that are still to come.
   */
  ksymbol(address: number, length: number, name: string, isUnregistered: boolean): void {
    if (isUnregistered || !isKernelAddress(address)) return;
    const dso = this.dsos.intern({ kind: 'bpf', name });
    this.#checkNumber(this.dsos.length, 'mapped files and programs of the kernel');
    const end = clampEnd(address, address + length);
    this.#kernelSpace.add(address, end, this.mappings.add(address, end, 0, dso, false));
  }

  /** A COMM record; `isExec` (PERF_RECORD_MISC_COMM_EXEC) where exec caused it. */
  comm(pid: number, tid: number, comm: string, isExec: boolean): void {
    if (isExec) this.#exec(pid);
    const thread = this.#threadOf(pid, tid);
    const { process } = thread;
    process.isPristine = false;
    thread.comm = this.#strings.intern(comm);
    if (isExec || (pid === tid && process.name === NO_COMM)) process.name = thread.comm;
    if (thread.index !== NONE) this.#rowComm.array[thread.index] = thread.comm;
  }

  /**
   * A FORK record. Several events may report one fork: repetitions change nothing. With
   * `isSynthesized` (PERF_RECORD_MISC_FORK_EXEC, written by the recorder for processes that were
   * already running) the child's mappings follow as records of their own and are not copied.
   */
  fork(
    pid: number,
    parentPid: number,
    tid: number,
    parentTid: number,
    isSynthesized = false,
  ): void {
    this.#forgetLast();
    const parent = this.#threads.get(parentTid);
    const comm = parent !== undefined && parent.process.pid === parentPid ? parent.comm : NO_COMM;
    if (pid === parentPid) {
      const thread = this.#addThread(this.#processAt(pid), tid, comm);
      if (!isSynthesized) this.#renameForked(thread, comm);
      return;
    }
    const known = this.#processes.get(pid);
    if (known?.isPristine && known.parentPid === parentPid) return;
    const parentProcess = this.#processAt(parentPid);
    if (!isSynthesized) parentProcess.space.owners++;
    const process: Process = {
      pid,
      generation: known === undefined ? 0 : known.generation + 1,
      space: isSynthesized ? new AddressSpace() : parentProcess.space,
      parentPid,
      name: parentProcess.name,
      cgroup: parentProcess.cgroup,
      isPristine: true,
      threads: 0,
    };
    if (known !== undefined) this.#leaveSpace(known);
    parentProcess.isPristine = false;
    this.#processes.set(pid, process);
    this.#addThread(process, tid, comm);
  }

  /**
   * An EXIT record. Samples of the thread may still follow (its EXIT is written before its last
   * switch), so nothing is forgotten; but a fork that gives out the pid again is a reuse.
   */
  exit(pid: number, tid: number): void {
    const process = this.#processes.get(pid);
    if (process !== undefined && pid === tid) process.isPristine = false;
    const thread = this.#threads.get(tid);
    if (this.keepsEnded || thread === undefined || thread.process.pid !== pid) return;
    this.#ended.push(thread);
  }

  /**
   * Forgets, for those who watch without an end (`keepsEnded` is false), the threads and processes that
   * had ended when this was called last, and the rows of `finishThreads`, whose samples are gone. It waits a
   * turn because a thread's last samples come after its EXIT.
   */
  forgetEnded(): void {
    for (const thread of this.#endedBefore) {
      const { tid, process } = thread;
      if (this.#threads.get(tid) !== thread) continue;
      this.#threads.delete(tid);
      process.threads--;
      if (process.threads > 0 || this.#processes.get(process.pid) !== process) continue;
      this.#leaveSpace(process);
      this.#processes.delete(process.pid);
      this.jitdumps.delete(process.pid);
    }
    this.#endedBefore = this.#ended;
    this.#ended = [];
    if (this.mappings.used > this.#sweptAt) this.#sweepMappings();
    for (const thread of this.#rows) thread.index = NONE;
    this.#rows.length = 0;
    this.#rowComm.length = 0;
    this.#lastPid = NONE;
    this.#lastThreadPid = NONE;
    this.#forgetLast();
  }

  #sweepMappings(): void {
    const rows = new Set([this.#vsyscall]);
    this.#kernelSpace.addRowsTo(rows);
    const spaces = new Set(Array.from(this.#processes.values(), ({ space }) => space));
    for (const space of spaces) space.addRowsTo(rows);
    this.mappings.keepOnly(rows);
    this.#sweptAt = Math.max(LEAST_SWEPT, 2 * this.mappings.used);
  }

  /** The thread's row in the profile; a thread that no record announced gets one too. */
  threadAt(pid: number, tid: number): ThreadIndex {
    const isLast = pid === this.#lastThreadPid && tid === this.#lastTid;
    // Without a last one both are −1, which the kernel also calls a thread that is gone.
    if (isLast && this.#lastThread !== NONE) return this.#lastThread;
    const thread = this.#threadOf(pid, tid);
    thread.process.isPristine = false;
    if (thread.index === NONE) {
      thread.index = this.#rows.length as ThreadIndex;
      this.#rows.push(thread);
      this.#rowComm.push(thread.comm);
    }
    this.#lastThreadPid = pid;
    this.#lastTid = tid;
    this.#lastThread = thread.index;
    return this.#lastThread;
  }

  /** The thread's name by now; `:TID`, as in perf, if nobody said. */
  commOf(thread: ThreadIndex): StringIndex {
    const comm = this.#rowComm.array[thread] as StringIndex;
    if (comm !== NO_COMM) return comm;
    return this.#strings.intern(`:${this.#rows[thread]?.tid}`);
  }

  /** The comm of a thread that has said it or is recorded, as far as it is known; it gets no row. */
  knownComm(tid: number): string | null {
    const comm = this.#threads.get(tid)?.comm ?? NO_COMM;
    return comm === NO_COMM ? null : this.#strings.get(comm);
  }

  /**
   * The mapping at `address`, −1 if none, where nothing but the address states whether it is the kernel's
   * or the process's.
   */
  findMapping(pid: number, address: number): MappingIndex {
    if (isKernelAddress(address) && !isVsyscall(address)) return this.findKernelMapping(address);
    return this.findUserMapping(pid, address);
  }

  /**
   * The mapping of an address that is known to be the process's. The kernel maps the vsyscall page of
   * x86-64 into every process, and no record announces it to programs that start later.
   */
  findUserMapping(pid: number, address: number): MappingIndex {
    if (pid !== this.#lastPid || this.#lastSpace === null) {
      const process = this.#processes.get(pid);
      if (process === undefined) return this.#vsyscallAt(address);
      this.#lastPid = pid;
      this.#lastSpace = process.space;
    }
    const found = this.#lastSpace.find(address) as MappingIndex;
    return found === NONE ? this.#vsyscallAt(address) : found;
  }

  #vsyscallAt(address: number): MappingIndex {
    if (!isVsyscall(address)) return NONE as MappingIndex;
    if (this.#vsyscall === NONE) {
      const dso = this.dsos.intern({ kind: 'unknown', name: '[vsyscall]' });
      this.#vsyscall = this.mappings.add(VSYSCALL_START, VSYSCALL_END, 0, dso, false);
    }
    return this.#vsyscall as MappingIndex;
  }

  /**
   * A number that grows with every change of the process's code mappings and is the same for no other
   * code; 0 for a process that nothing is known of.
   */
  generationOf(pid: number): number {
    return this.#processes.get(pid)?.space.generation ?? 0;
  }

  /**
   * The mapping of an address that is known to be the kernel's. Kernels of 32 bits, of s390 and of
   * sparc64 lie where the addresses of processes are as well.
   */
  findKernelMapping(address: number): MappingIndex {
    return this.#kernelSpace.find(address) as MappingIndex;
  }

  /** Whether the process is there, or ended only now (`forgetEnded`). */
  isKnown(pid: number): boolean {
    return this.#processes.has(pid);
  }

  /** Pid of the process that has forked `pid`, −1 where that is not known. */
  parentOf(pid: number): number {
    return this.#processes.get(pid)?.parentPid ?? NONE;
  }

  /** The comm with which a process began its program, '' where that is not known: threads take names of their own. */
  nameOf(pid: number): string {
    const name = this.#processes.get(pid)?.name ?? NO_COMM;
    return name === NO_COMM ? '' : this.#strings.get(name);
  }

  /** A CGROUP record. */
  cgroup(id: number, path: string): void {
    this.#cgroups.set(id, path);
    this.#checkNumber(this.#cgroups.size, 'control groups');
  }

  /** A sample of the process in this control group. */
  noteCgroup(pid: number, id: number): void {
    const process = this.#processes.get(pid);
    if (process !== undefined) process.cgroup = id;
  }

  /** The path of the control group in which a process was sampled last; '' where that is not known. */
  cgroupOf(pid: number): string {
    return this.#cgroups.get(this.#processes.get(pid)?.cgroup ?? NONE) ?? '';
  }

  /** The mappings of a DSO by the processes that have it now, of each one, those that were met last first. */
  *mappingsOf(key: DsoKey): Iterable<{ readonly pid: number; start: number; end: number }> {
    const dso = this.dsos.intern(key);
    for (const { pid, space } of [...this.#processes.values()].reverse()) {
      if (pid <= 0) continue;
      const row = space.findRow((mapping) => this.mappings.dso(mapping as MappingIndex) === dso);
      if (row === NONE) continue;
      const mapping = row as MappingIndex;
      yield { pid, start: this.mappings.start(mapping), end: this.mappings.end(mapping) };
    }
  }

  /** The kernel's address in the recording, null if that has none. */
  get kernelReference(): KernelReference | null {
    return this.#kernelReference;
  }

  /** Rows for the profile, in the order of `threadAt`. */
  finishThreads(): ProfileThread[] {
    return this.#rows.map(({ tid, process, comm }) => ({
      pid: process.pid,
      tid,
      generation: process.generation,
      comm: comm === NO_COMM ? `:${tid}` : this.#strings.get(comm),
    }));
  }

  #exec(pid: number): void {
    const known = this.#processes.get(pid);
    if (known === undefined) return;
    this.#forgetLast();
    this.#leaveSpace(known);
    this.#processes.set(pid, {
      pid,
      generation: known.generation + 1,
      space: new AddressSpace(),
      parentPid: known.parentPid,
      name: NO_COMM,
      cgroup: known.cgroup,
      isPristine: false,
      threads: 0,
    });
  }

  #processAt(pid: number): Process {
    const known = this.#processes.get(pid);
    if (known !== undefined) return known;
    const process: Process = {
      pid,
      generation: 0,
      space: new AddressSpace(),
      parentPid: NONE,
      name: NO_COMM,
      cgroup: NONE,
      isPristine: false,
      threads: 0,
    };
    this.#processes.set(pid, process);
    this.#checkNumber(this.#processes.size, 'processes');
    return process;
  }

  /** The space of `process` for writing: a clone if someone else reads it too. */
  #ownSpace(process: Process): AddressSpace {
    if (process.space.owners > 1) {
      process.space.owners--;
      process.space = process.space.clone();
      this.#noteCopied(process.space.copiedBytes);
      this.#lastSpace = null;
    }
    return process.space;
  }

  /** A generation of a process is over. */
  #leaveSpace({ space }: Process): void {
    space.owners--;
    if (space.owners === 0) this.#copiedBytes -= space.copiedBytes;
  }

  /** A thread of an earlier generation, or of another process, is not the one meant. */
  #threadOf(pid: number, tid: number): Thread {
    const known = this.#threads.get(tid);
    const process = this.#processAt(pid);
    if (known !== undefined && known.process === process) return known;
    this.#forgetLast();
    return this.#addThread(process, tid, tid === 0 ? this.#strings.intern('swapper') : NO_COMM);
  }

  #addThread(process: Process, tid: number, comm: StringIndex): Thread {
    const known = this.#threads.get(tid);
    if (known !== undefined && known.process === process) return known;
    const thread: Thread = { tid, process, comm, index: NONE };
    if (known !== undefined) known.process.threads--;
    process.threads++;
    this.#threads.set(tid, thread);
    this.#checkNumber(Math.max(this.#threads.size, this.#rows.length), 'threads');
    return thread;
  }

  /**
   * A thread that started while the recorder read /proc has the name there that it took afterwards: until
   * its COMM record it has its parent's.
   */
  #renameForked(thread: Thread, comm: StringIndex): void {
    if (comm === NO_COMM) return;
    thread.comm = comm;
    if (thread.index !== NONE) this.#rowComm.array[thread.index] = comm;
  }

  #noteKernelReference({ path, fileOffset }: MappingRecord): void {
    const symbol = path.slice(path.indexOf(']') + 1);
    if (symbol !== '' && isKernelAddress(fileOffset)) {
      this.#kernelReference ??= { symbol, address: fileOffset };
    }
  }

  #forgetLast(): void {
    this.#lastSpace = null;
    this.#lastThread = NONE as ThreadIndex;
  }
}

/** V8, LLVM and Java: `jit-PID.dump`. JavaScriptCore: `jit-TID-PID.dump`, and in /tmp `jit-TID-PID-XXXXXX`. */
const JITDUMP_PATH = /\/jit-\d+(?:(?:-\d+)?\.dump|-\d+-[A-Za-z0-9]{6})$/;
/** The most jitdumps of one process. */
const MOST_JITDUMPS = 8;

const NO_COMM = NONE as number as StringIndex;

/** Whether addresses of the mapping are places in a file: addresses of frames are exact below 2^53. */
function isInFile({ start, length, fileOffset }: MappingRecord): boolean {
  return fileOffset >= 0 && [start, length, fileOffset + length].every(Number.isSafeInteger);
}

/** Ranges end at their half's end: the kernel's map of itself may claim everything to 2^64. */
function clampEnd(start: number, end: number): number {
  return start < 0 ? Math.min(end, 0) : end;
}
