// DWARF numbers: "DWARF for the Arm Architecture", table 1. perf's are the same.

/** Frame pointer of Arm code; Thumb code has r7, of which only tables report it. */
export const FP = 11;
export const SP = 13;
/** Link register, and the column of the return address. */
export const LR = 14;
export const PC = 15;
