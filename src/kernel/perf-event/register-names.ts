// Names of the registers in the order of their numbers, which are the bits of
// `sample_regs_user` and `sample_regs_intr`: arch/*/include/uapi/asm/perf_regs.h of Linux 6.18. As
// perf writes them.

/** Architectures whose register dumps are understood. */
export type RegisterArchitecture =
  | 'x86'
  | 'arm'
  | 'arm64'
  | 'riscv'
  | 's390'
  | 'powerpc'
  | 'loongarch'
  | 'mips';

/** `prefix` with each number from `first` to `last`. */
function numbered(prefix: string, first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, i) => `${prefix}${first + i}`);
}

const X86_GENERAL = [
  ...['AX', 'BX', 'CX', 'DX', 'SI', 'DI', 'BP', 'SP', 'IP', 'FLAGS'],
  ...['CS', 'SS', 'DS', 'ES', 'FS', 'GS'],
  ...numbered('R', 8, 15),
];

/** Vector registers of 128 bits take two numbers each, low half first. */
const X86_XMM = numbered('XMM', 0, 15).flatMap((name) => [name, name]);
const X86_FIRST_XMM = 32;

const ARM64_VECTOR_GRANULE = 46;

/** Number -> name, with holes where a number means nothing. */
const NAMES: Readonly<Record<RegisterArchitecture, readonly (string | undefined)[]>> = {
  x86: at([0, X86_GENERAL], [X86_FIRST_XMM, X86_XMM]),
  arm: [...numbered('r', 0, 10), 'fp', 'ip', 'sp', 'lr', 'pc'],
  arm64: at([0, [...numbered('x', 0, 29), 'lr', 'sp', 'pc']], [ARM64_VECTOR_GRANULE, ['vg']]),
  riscv: [
    ...['pc', 'ra', 'sp', 'gp', 'tp', 't0', 't1', 't2', 's0', 's1'],
    ...numbered('a', 0, 7),
    ...numbered('s', 2, 11),
    ...numbered('t', 3, 6),
  ],
  s390: [...numbered('R', 0, 15), ...numbered('FP', 0, 15), 'MASK', 'PC'],
  powerpc: [
    ...numbered('r', 0, 31),
    ...['nip', 'msr', 'orig_r3', 'ctr', 'link', 'xer', 'ccr', 'softe', 'trap', 'dar', 'dsisr'],
    ...['sier', 'mmcra', 'mmcr0', 'mmcr1', 'mmcr2', 'mmcr3', 'sier2', 'sier3'],
    ...numbered('pmc', 1, 6),
    ...['sdar', 'siar'],
  ],
  loongarch: ['PC', ...numbered('%r', 1, 31)],
  mips: ['PC', ...numbered('$', 1, 31)],
};

function at(...runs: readonly (readonly [number, readonly string[]])[]): (string | undefined)[] {
  const names: (string | undefined)[] = [];
  for (const [first, run] of runs) {
    run.forEach((name, i) => {
      names[first + i] = name;
    });
  }
  return names;
}

/** Patterns of what `uname -m` says, as the ARCH section of a recording repeats it. */
const MACHINES: readonly (readonly [RegExp, RegisterArchitecture])[] = [
  [/^(x86_64|amd64|i[3-6]86|x86)$/, 'x86'],
  [/^(aarch64|aarch64_be|arm64)$/, 'arm64'],
  [/^arm/, 'arm'],
  [/^riscv/, 'riscv'],
  [/^s390/, 's390'],
  [/^(ppc|powerpc)/, 'powerpc'],
  [/^loongarch/, 'loongarch'],
  [/^mips/, 'mips'],
];

/** The architecture of a machine by its `uname -m`; null if its registers have no names here. */
export function registerArchitectureOf(machine: string | null): RegisterArchitecture | null {
  if (machine === null) return null;
  return MACHINES.find(([pattern]) => pattern.test(machine))?.[1] ?? null;
}

/** Name of register `number`; `reg46` and the like where it has none or the machine is unknown. */
export function registerName(architecture: RegisterArchitecture | null, number: number): string {
  const name = architecture === null ? undefined : NAMES[architecture][number];
  return name ?? `reg${number}`;
}
