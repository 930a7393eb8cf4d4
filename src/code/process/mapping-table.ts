import { GrowableFloat64, GrowableInt32, GrowableUint8 } from '../../base/growable-columns.ts';
import type { DsoIndex } from '../../profile/types.ts';
import type { MappingIndex } from './types.ts';

/**
 * Every mapping that was ever made, one row per record. Rows are never changed: which of them is
 * in force where, and when, is the business of the address spaces that point here.
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

  get length(): number {
    return this.#start.length;
  }

  add(
    start: number,
    end: number,
    fileOffset: number,
    dso: DsoIndex,
    isFile: boolean,
    isCode = true,
  ): MappingIndex {
    this.#start.push(start);
    this.#end.push(end);
    this.#fileOffset.push(fileOffset);
    this.#dso.push(dso);
    this.#isFile.push(isFile ? 1 : 0);
    this.#isCode.push(isCode ? 1 : 0);
    return (this.#start.length - 1) as MappingIndex;
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
