// DWARF numbers: "DWARF for the Arm 64-bit Architecture", table 1.

export const FP = 29;
/** Link register, and the column of the return address. */
export const LR = 30;
export const SP = 31;
/** Where a register dump has the ip. */
export const PC = 32;
