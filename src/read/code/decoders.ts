import type { CapstoneHandle, CapstoneModule } from '@alexaltea/capstone-js';
import { FailedError } from '../../base/errors.ts';
import { getOrMake } from '../../base/group-by.ts';
import {
  BAD_INSTRUCTION,
  type DecodedInstruction,
  type Decoder,
} from '../../code/disassembly/decoder.ts';
import type { InstructionSet } from '../../code/disassembly/types.ts';

const PACKAGE = '@alexaltea/capstone-js';

type Import = () => Promise<{ readonly default: () => Promise<CapstoneModule> }>;

let loaded: Promise<CapstoneModule> | null = null;

/** Makes decoders; the library behind them is read when the first is wanted. */
export async function loadDecoders(): Promise<(architecture: InstructionSet) => Decoder> {
  loaded ??= loadCapstone();
  const capstone = await loaded;
  const made = new Map<InstructionSet, Decoder>();
  return (architecture) => {
    return getOrMake(made, architecture, () => makeDecoder(capstone, architecture));
  };
}

/** Optional: nobody misses it who does not ask for assembly. */
const importCapstone: Import = () => import('@alexaltea/capstone-js');

/** Throws `FailedError` where the package is not installed. */
export async function loadCapstone(importPackage = importCapstone): Promise<CapstoneModule> {
  try {
    const { default: load } = await importPackage();
    return await load();
  } catch (error) {
    loaded = null;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') {
      throw new FailedError(
        `the disassembler is not installed (the optional package ${PACKAGE}): ` +
          `run npm install ${PACKAGE} where perf-ts is installed`,
      );
    }
    throw new FailedError(`the disassembler ${PACKAGE} does not start: ${message}`);
  }
}

function makeDecoder(capstone: CapstoneModule, architecture: InstructionSet): Decoder {
  const { ARCH_X86, ARCH_ARM64, MODE_32, MODE_64, MODE_LITTLE_ENDIAN } = capstone;
  const [arch, mode] = {
    'x86-64': [ARCH_X86, MODE_64],
    i386: [ARCH_X86, MODE_32],
    aarch64: [ARCH_ARM64, MODE_LITTLE_ENDIAN],
  }[architecture] as [number, number];
  const handle = new capstone.Capstone(arch, mode);
  // Invalid encodings are reported as data bytes; decoding continues after them.
  handle.option(capstone.OPT_SKIPDATA, capstone.OPT_ON);
  return { decode: (bytes, address) => decodeAll(handle, bytes, address) };
}

function decodeAll(
  handle: CapstoneHandle,
  bytes: Uint8Array,
  address: number,
): DecodedInstruction[] {
  const instructions: DecodedInstruction[] = [];
  let offset = 0;
  for (const { id, size, mnemonic, op_str } of disassemble(handle, bytes, address)) {
    instructions.push(
      id === 0
        ? { offset, size, mnemonic: BAD_INSTRUCTION, operands: '' }
        : { offset, size, mnemonic, operands: op_str },
    );
    offset += size;
  }
  // Less than an instruction of ARM has: Capstone says nothing of it.
  if (offset < bytes.length) {
    const size = bytes.length - offset;
    instructions.push({ offset, size, mnemonic: BAD_INSTRUCTION, operands: '' });
  }
  return instructions;
}

function disassemble(handle: CapstoneHandle, bytes: Uint8Array, address: number) {
  try {
    return handle.disasm(bytes, BigInt.asUintN(64, BigInt(address)));
  } catch (error) {
    // It throws a text where there is not one instruction.
    if (typeof error === 'string') return [];
    throw error;
  }
}
