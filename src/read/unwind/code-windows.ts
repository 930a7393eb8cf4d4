/** Code is looked at a few hundred bytes at a time, again and again at the same places. */
const WINDOW_BYTES = 8192;
/** A window begins at each of these; what is asked for fits into one if it is no longer than half a window. */
const STEP_BYTES = WINDOW_BYTES / 2;
const MOST_WINDOWS = 512;

/** Reads the code at [address, address + length), as far as there is some; null where there is none. */
type ReadText = (address: number, length: number) => Uint8Array | null;

/** `read` by way of windows that stay in memory, so that few of its calls reach the file. */
export function throughWindows(read: ReadText): ReadText {
  const windows = new Map<number, Uint8Array>();
  return (address, length) => {
    const start = Math.floor(address / STEP_BYTES) * STEP_BYTES;
    const from = address - start;
    if (from + length > WINDOW_BYTES) return read(address, length);
    let bytes = windows.get(start);
    if (bytes === undefined) {
      const found = read(start, WINDOW_BYTES);
      // A segment may begin behind the start of the window.
      if (found === null) return read(address, length);
      if (windows.size === MOST_WINDOWS) windows.clear();
      bytes = found;
      windows.set(start, bytes);
    }
    // It ended with a segment, and another one may begin there.
    return from < bytes.length ? bytes.subarray(from, from + length) : read(address, length);
  };
}
