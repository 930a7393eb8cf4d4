/**
 * The code of one function as it is shown: what `perf-ts view` sends to its page and
 * `OpenedProfile.disassemble` returns. Plain JSON; every text in it is printable.
 */
export type FunctionAssembly = {
  readonly schema: 'perf-ts/assembly@1';
  /** Pieces of code with samples, most samples first: one per code object of a JIT, one per symbol. */
  readonly parts: readonly CodePart[];
  /** Samples of the function whose code is not among them, by reason. */
  readonly missing: readonly MissingCode[];
};

/** Assembly for the page, with the rows that `source` of the page's server goes by. */
export type PageAssembly = FunctionAssembly & {
  /** Source files of the locations that the profile names, by their rows of its strings. */
  readonly files: readonly { readonly path: string; readonly string: number }[];
  /** Functions of the same DSO that instructions refer to by name, by their rows. */
  readonly funcs: readonly { readonly name: string; readonly func: number }[];
};

/** Samples of a function whose code is not shown, and why. */
export type MissingCode = {
  /** A sentence. */
  readonly reason: string;
  /** Samples with a frame there, of all events. */
  readonly samples: number;
};

/** Capstone's instruction sets that are used. */
export type InstructionSet = 'x86-64' | 'i386' | 'aarch64';

/** How the ends of a part are known. */
export type ExtentSource = 'symbol' | 'frame table' | 'jitdump';

/**
 * A contiguous piece of code. Of a long one only the instructions around samples are rows:
 *
 *   row  offset  text                         gaps: before row 3, 812 instructions
 *   0         0  push rbp
 *   1         1  mov rbp, rsp
 *   2         4  call 0x401030                refers: malloc@plt
 *   3      4080  jne 0x402010                 target: 5
 */
export type CodePart = {
  /** Name of the code that really exists there; a function inlined into it may be what is asked for. */
  readonly name: string;
  /** Path of the file, `[vdso]`, `[kernel.kallsyms]`, `[JIT] tid 12`. */
  readonly dso: string;
  /** How V8 had compiled it (`TIERS`), empty for other code. */
  readonly tier: string;
  readonly architecture: InstructionSet;
  readonly extent: ExtentSource;
  /** Address of the first byte: as in the ELF file, absolute in the kernel and in JIT code (signed form). */
  readonly start: number;
  /** Bytes of the whole part. */
  readonly size: number;
  /** Bytes from the start of the part to each instruction, ascending. */
  readonly offset: readonly number[];
  /** Bytes in hex. */
  readonly bytes: readonly string[];
  /** Mnemonic and operands in Intel's spelling, on ARM in ARM's; `(bad)`: no instruction. */
  readonly text: readonly string[];
  /** Row that a jump leads to, −1 for all else. */
  readonly target: readonly number[];
  /** Symbol that a call, jump or operand refers to outside of the rows; empty: none is known. */
  readonly refers: readonly string[];
  /** Index into `locations`, −1 where no line is known. */
  readonly location: readonly number[];
  readonly locations: readonly CodeLocation[];
  readonly gaps: readonly CodeGap[];
  /** Rows of the profile's frame table that lie in the part, and the row of each one's instruction. */
  readonly frames: readonly number[];
  readonly rowOfFrame: readonly number[];
};

/** Code between two rows, or before the first or behind the last, that is not shown. */
export type CodeGap = {
  /** Row that follows; the number of rows for the last gap. */
  readonly before: number;
  readonly instructions: number;
  readonly bytes: number;
};

/** A line of source code that instructions were compiled from. */
export type CodeLocation = {
  readonly file: string;
  /** Line from 1; 0 where it is not known. */
  readonly line: number;
  /** Functions that were inlined there, innermost first; without the one that really exists. */
  readonly inlined: readonly string[];
};
