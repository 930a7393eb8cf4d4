/** A range of addresses at which a DSO was mapped in one process, or in the kernel. */
export type MappedRange = {
  /** Row of `Profile.dsos`. */
  readonly dso: number;
  /** Absolute address, signed form. */
  readonly start: number;
  /** The first address behind; 0 where a kernel range reaches the end of memory. */
  readonly end: number;
  /** `start` as frames have it: bytes into the file; `start` itself where they are absolute. */
  readonly first: number;
};

/**
 * Finds a range for addresses as frames have them: file-relative in files, else absolute.
 *
 * Frames are shared by all processes that mapped a DSO, each at its own place. So an address gets
 * the first range that the recording saw it in: the one place there is in a recording of one
 * process, one of several in a recording of many. Start, limit and file offset of the range fit
 * together in every case, so the offset in the file, by which symbols are found, is exact.
 */
export class RangeFinder {
  /** Ranges by DSO; no two ranges of one DSO cover the same addresses. */
  readonly #byDso = new Map<number, MappedRange[]>();
  #last: MappedRange | null = null;

  constructor(ranges: readonly MappedRange[]) {
    const seen = new Set<string>();
    for (const range of ranges) {
      const { dso, start, end, first } = range;
      const key = `${dso} ${first} ${end - start}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const known = this.#byDso.get(dso);
      if (known === undefined) this.#byDso.set(dso, [range]);
      else if (first !== start) known.push(range);
      // Absolute ranges may be nested: the kernel's is its whole half of the address space.
      else insertBefore(known, range);
    }
  }

  // Hot: once per frame.
  find(dso: number, address: number): MappedRange | null {
    const last = this.#last;
    if (last !== null && last.dso === dso && covers(last, address)) return last;
    const ranges = this.#byDso.get(dso);
    if (ranges === undefined) return null;
    for (let i = 0; i < ranges.length; i++) {
      const range = ranges[i];
      if (!covers(range, address)) continue;
      // A range that may contain others does not answer the next lookup.
      if (range.first !== range.start) this.#last = range;
      return range;
    }
    return null;
  }
}

function covers({ start, end, first }: MappedRange, address: number): boolean {
  return address >= first && address - first < end - start;
}

function insertBefore(ranges: MappedRange[], range: MappedRange): void {
  const size = range.end - range.start;
  const larger = ranges.findIndex(({ start, end }) => end - start > size);
  if (larger < 0) ranges.push(range);
  else ranges.splice(larger, 0, range);
}
