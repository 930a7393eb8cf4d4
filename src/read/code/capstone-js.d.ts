/** The part of Capstone that is used; the package has no types of its own. */
declare module '@alexaltea/capstone-js' {
  export type CapstoneInstruction = {
    /** 0 for what `OPT_SKIPDATA` went over. */
    readonly id: number;
    readonly address: bigint;
    /** Bytes. */
    readonly size: number;
    readonly mnemonic: string;
    readonly op_str: string;
  };

  export type CapstoneHandle = {
    option(option: number, value: number): void;
    /** Throws a string where there is no instruction at all. */
    disasm(bytes: Uint8Array, address: bigint): CapstoneInstruction[];
    close(): void;
  };

  export type CapstoneModule = {
    readonly ARCH_X86: number;
    readonly ARCH_ARM64: number;
    readonly MODE_LITTLE_ENDIAN: number;
    readonly MODE_32: number;
    readonly MODE_64: number;
    readonly OPT_SKIPDATA: number;
    readonly OPT_ON: number;
    readonly Capstone: new (architecture: number, mode: number) => CapstoneHandle;
  };

  const load: () => Promise<CapstoneModule>;
  export default load;
}
