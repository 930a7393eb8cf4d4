import { GrowableFloat64, GrowableInt32, GrowableUint8 } from '../../base/growable-columns.ts';
import type { DsoIndex } from '../../profile/types.ts';
import type { MappingIndex } from './types.ts';

/**
 * Mappings, one row per record. Rows are never changed: which of them is in force where, and when, is the
 * business of the address spaces that point here. Those who watch without an end give back the rows that no
 * space points to (`keepOnly`); others keep every mapping that was ever made.
 */
export class MappingTable {
  readonly #start = new GrowableFloat64();
  readonly #end = new GrowableFloat64();
  readonly #fileOffset = new GrowableFloat64();
  readonly #dso = new GrowableInt32();
  /** 1: addresses count from the file's start; 0: they stay absolute. */
  readonly #isFile = new GrowableUint8();
  /** 1: mapped executable. */
  readonly #isCode = new GrowableUint8();
  /** Rows that nothing points to. */
  readonly #free: number[] = [];
  /** Grows whenever rows are given back: what is remembered of a row may be that of an earlier mapping. */
  sweeps = 0;

  get length(): number {
    return this.#start.length;
  }

  /** Rows that were not given back. */
  get used(): number {
    return this.#start.length - this.#free.length;
  }

  add(
    start: number,
    end: number,
    fileOffset: number,
    dso: DsoIndex,
    isFile: boolean,
    isCode = true,
  ): MappingIndex {
    const row = this.#free.pop();
    if (row !== undefined) {
      this.#start.array[row] = start;
      this.#end.array[row] = end;
      this.#fileOffset.array[row] = fileOffset;
      this.#dso.array[row] = dso;
      this.#isFile.array[row] = isFile ? 1 : 0;
      this.#isCode.array[row] = isCode ? 1 : 0;
      return row as MappingIndex;
    }
    this.#start.push(start);
    this.#end.push(end);
    this.#fileOffset.push(fileOffset);
    this.#dso.push(dso);
    this.#isFile.push(isFile ? 1 : 0);
    this.#isCode.push(isCode ? 1 : 0);
    return (this.#start.length - 1) as MappingIndex;
  }

  /** Gives back the rows that are not among these, for mappings to come. */
  keepOnly(rows: ReadonlySet<number>): void {
    this.#free.length = 0;
    for (let row = this.#start.length - 1; row >= 0; row--) {
      if (!rows.has(row)) this.#free.push(row);
    }
    this.sweeps++;
  }

  /** Absolute address, signed form. */
  start(mapping: MappingIndex): number {
    return this.#start.array[mapping];
  }

  end(mapping: MappingIndex): number {
    return this.#end.array[mapping];
  }

  /** Bytes into the file of the mapping's first byte. */
  fileOffset(mapping: MappingIndex): number {
    return this.#fileOffset.array[mapping];
  }

  dso(mapping: MappingIndex): DsoIndex {
    return this.#dso.array[mapping] as DsoIndex;
  }

  /** Whether the mapping is executable. */
  isCode(mapping: MappingIndex): boolean {
    return this.#isCode.array[mapping] === 1;
  }

  /**
   * `address` as frames and the symbolizer want it: the offset in the file for files and the vDSO,
   * so that it is the same in every process; absolute in the kernel, in JIT code and elsewhere.
   */
  addressInDso(mapping: MappingIndex, address: number): number {
    if (this.#isFile.array[mapping] === 0) return address;
    return address - this.#start.array[mapping] + this.#fileOffset.array[mapping];
  }
}
