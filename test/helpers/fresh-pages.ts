export const PAGE = 4096;

/**
 * Memory that nobody has touched. A resizable buffer is a mapping of its own, where one of fixed size
 * may come from what malloc was given back.
 */
export function freshPages(pages: number): Uint8Array {
  const bytes = pages * PAGE;
  const Resizable = ArrayBuffer as new (
    length: number,
    options: { maxByteLength: number },
  ) => ArrayBuffer;
  return new Uint8Array(new Resizable(bytes, { maxByteLength: bytes }));
}

/** Writes to each page; how many there were. */
export function touch(memory: Uint8Array): number {
  for (let at = 0; at < memory.length; at += PAGE) memory[at] = 1;
  return memory.length / PAGE;
}
