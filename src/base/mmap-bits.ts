// Bits of mmap(2), the same on every architecture, as MMAP2 records store them and /proc/PID/maps shows them.

export const PROT = { READ: 1, WRITE: 2, EXEC: 4 } as const;

/** `TYPE` masks the bits that hold one of the others. */
export const MAP = { SHARED: 1, PRIVATE: 2, TYPE: 0x0f } as const;
