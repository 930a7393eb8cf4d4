// DWARF numbers as .eh_frame of Linux has them: System V ABI for i386, table 2.14.

export const EBX = 3;
export const ESP = 4;
export const EBP = 5;
export const ESI = 6;
export const EDI = 7;
/** The column of the return address, and the ip of a sample. */
export const RETURN_ADDRESS = 8;
