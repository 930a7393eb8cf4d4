import { addressOf } from '../../base/u64.ts';

/** The function that a kernel address lies in, and how far into it. */
export type KernelSymbol = { readonly name: string; readonly offset: number };

/** Address in signed form (docs/numbers.md); null if no symbol holds it. */
export type KernelSymbolOf = (address: number) => KernelSymbol | null;

/** Names that the texts of tracepoints give to addresses. */
export class KernelNames {
  readonly #symbolOf: KernelSymbolOf | null;
  readonly #printkTexts: ReadonlyMap<bigint, string>;

  constructor(symbolOf: KernelSymbolOf | null, printkFormats: string) {
    this.#symbolOf = symbolOf;
    this.#printkTexts = parsePrintkFormats(printkFormats);
  }

  symbol(address: bigint): KernelSymbol | null {
    return this.#symbolOf?.(addressOf(address)) ?? null;
  }

  /** The constant string of the kernel at `address`, where the recording has it. */
  printkText(address: bigint): string | null {
    return this.#printkTexts.get(address) ?? null;
  }
}

/** `0xffffffff8281972f : "thaw_processes"`, a string per line: tracefs/printk_formats. */
function parsePrintkFormats(text: string): Map<bigint, string> {
  const texts = new Map<bigint, string>();
  for (const [, address, quoted] of text.matchAll(/^(0x[0-9a-fA-F]+) : "(.*)"$/gm)) {
    texts.set(BigInt(address), quoted.replace(/\\n$/, ''));
  }
  return texts;
}
