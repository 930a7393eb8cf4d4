/** The bytes of one section, decompressed. */
export type UnwindSection = {
  readonly bytes: Uint8Array;
  /** File address of the first byte (`sh_addr`), signed form. 0 for sections that aren't mapped. */
  readonly address: number;
};

/** The sections of a file that describe its frames; null where it has no such section. */
export type UnwindSections = {
  readonly ehFrame: UnwindSection | null;
  readonly ehFrameHdr: UnwindSection | null;
  /** The section of the file itself or of its separate debug file. */
  readonly debugFrame: UnwindSection | null;
  /** `.ARM.exidx` and `.ARM.extab`, which 32-bit Arm has in place of `.eh_frame`. */
  readonly armIndex?: UnwindSection | null;
  readonly armTable?: UnwindSection | null;
  /** Size of the file's addresses; 8 where not given. */
  readonly addressBytes?: 4 | 8;
  /** File address of `.text`; what `DW_EH_PE_textrel` counts from. */
  readonly textAddress: number;
  /** File address of `.got`; what `DW_EH_PE_datarel` counts from in `.eh_frame`. */
  readonly gotAddress: number;
  /**
   * Up to `length` bytes of code from file address `address`, fewer at the end of the text; null if
   * it can't be read. Asked for only where the tables have no answer. Null: the code isn't at hand.
   */
  readonly readText: ((address: number, length: number) => Uint8Array | null) | null;
};

/** Architectures that can be unwound, little-endian. i386 and arm have 32 bits. */
export type UnwindArchitecture = 'x86-64' | 'i386' | 'aarch64' | 'arm';
