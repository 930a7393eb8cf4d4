import { Diagnostics } from '../../base/diagnostics.ts';
import type { InstructionSet } from '../../code/disassembly/types.ts';
import { PT_LOAD } from '../../code/elf/constants.ts';
import { parseElf } from '../../code/elf/elf-file.ts';
import type { KernelReference } from '../../code/process/process-table.ts';
import { findKallsymsAddress, parseKallsyms } from '../../code/symbols/kallsyms.ts';
import type { SymbolTable } from '../../code/symbols/symbol-table.ts';
import { codeOf, openRegular } from '../../system/files/open-regular.ts';
import { readProcFile } from '../../system/files/proc-file.ts';
import { readKernelBuildId } from '../../system/kernel/host-info.ts';
import { type MachineName, whyOtherMachine } from '../files/kernel-files.ts';
import { architectureOf } from './machine.ts';

/** Which kernel a recording is of. */
export type RecordedKernel = {
  readonly machine: MachineName;
  /** Null where the recording does not say. */
  readonly buildId: string | null;
  readonly reference: KernelReference | null;
};

export type KernelPlaces = { readonly kcore: string; readonly kallsyms: string };

const USUAL_PLACES: KernelPlaces = { kcore: '/proc/kcore', kallsyms: '/proc/kallsyms' };

/**
 * The code of the running kernel as it is in memory, with all that was patched at boot: /proc/kcore, an
 * ELF core file whose addresses are the kernel's.
 */
export type KernelCode = {
  readonly architecture: InstructionSet;
  /** Bytes at an address (signed form); none where the kernel has no memory. */
  read(address: number, length: number): Uint8Array;
  /** Whether the kernel has a function in [start, end), as when it was recorded. */
  hasFunction(start: number, end: number): boolean;
  /** Symbol at an address, with the distance from its start; empty where none is. */
  nameAt(address: number): string;
  close(): void;
};

/** Opens it if the running kernel is the recorded one, in the same boot; else a sentence why not. */
export function openKernelCode(
  recorded: RecordedKernel,
  places: KernelPlaces = USUAL_PLACES,
): KernelCode | string {
  const other = whyOtherMachine(recorded.machine);
  if (other !== null) return `the kernel's code is read from memory: ${other}`;
  const running = recorded.buildId === null ? null : readKernelBuildId(new Diagnostics());
  if (running !== null && running !== recorded.buildId) {
    return "the kernel's code is read from memory: another build of it runs now (build ID differs)";
  }
  const file = openRegular(places.kcore);
  if (typeof file === 'string') return whyNoCore(places.kcore, file);
  const { source } = file;
  const found = readCore();
  if (typeof found === 'string') source.close?.();
  return found;

  function readCore(): KernelCode | string {
    const symbols = readRunning(recorded.reference, places.kallsyms);
    if (typeof symbols === 'string') return symbols;
    const elf = parseElf(source, new Diagnostics());
    const architecture = elf && architectureOf(elf.header.machine);
    if (!elf || architecture === null)
      return `${places.kcore}: not the core file of a known machine`;
    const segments = elf.programHeaders.filter(({ type }) => type === PT_LOAD);
    return {
      architecture,
      read(address, length) {
        const segment = segments.find(
          ({ address: start, memorySize }) => address >= start && address < start + memorySize,
        );
        if (segment === undefined) return new Uint8Array(0);
        const { address: start, memorySize, offset } = segment;
        const bytes = Math.min(length, start + memorySize - address);
        return source.read(offset + (address - start), bytes);
      },
      hasFunction(start, end) {
        const row = symbols.find(start);
        return row >= 0 && symbols.starts[row] === start && symbols.ends[row] === end;
      },
      nameAt(address) {
        const row = symbols.find(address);
        if (row < 0) return '';
        const offset = address - symbols.start(row);
        return offset === 0 ? symbols.name(row) : `${symbols.name(row)}+0x${offset.toString(16)}`;
      },
      close: () => source.close?.(),
    };
  }
}

/** The running kernel's symbols; a sentence where it is another boot, or hides its addresses. */
function readRunning(reference: KernelReference | null, path: string): SymbolTable | string {
  let bytes: Uint8Array;
  try {
    bytes = readProcFile(path);
  } catch (error) {
    return `the kernel's code can't be checked against ${path}: ${codeOf(error)}`;
  }
  const now = reference === null ? null : findKallsymsAddress(bytes, reference.symbol);
  if (now === 0) return "the kernel hides its addresses (kptr_restrict): its code can't be checked";
  if (reference !== null && now !== reference.address) {
    return "the kernel's code lies elsewhere since the recording (another boot)";
  }
  return parseKallsyms(bytes, new Diagnostics());
}

function whyNoCore(path: string, reason: string): string {
  if (reason === 'ENOENT') return `${path} is not there: this kernel does not offer its memory`;
  const hint = reason === 'EACCES' || reason === 'EPERM' ? ', which only root may read' : '';
  return `the kernel's code is in ${path}${hint}: ${reason}`;
}
