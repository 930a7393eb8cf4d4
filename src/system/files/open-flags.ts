// Flags of open(2) of Linux that Node does not name.

/** A place in the file system, links themselves included, without opening what is there. */
export const O_PATH = 0o10000000;

/** The most links in one path, as the kernel has it. */
export const MOST_LINKS = 40;
