// DWARF numbers: System V ABI for x86-64, figure 3.36.

export const RBP = 6;
export const RSP = 7;
/** The column of the return address, and the ip of a sample. */
export const RETURN_ADDRESS = 16;
