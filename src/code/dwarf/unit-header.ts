/** The header of a unit. Offsets are in `.debug_info`. */
export type UnitHeader = {
  readonly offset: number;
  readonly end: number;
  readonly version: number;
  /** DW_UT of version 5; before, `DW_UT_compile`. */
  readonly unitType: number;
  readonly addressSize: number;
  readonly is64: boolean;
  readonly abbreviationsOffset: number;
  /** Offset of the root DIE. */
  readonly rootOffset: number;
  /** 8 bytes as in the file, as hex; empty where the header has none. */
  readonly dwoId: string;
};
