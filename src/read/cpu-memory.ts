import { NONE } from '../base/brand.ts';
import type { ThreadIndex } from '../profile/types.ts';
import { type ChainMemory, newChainMemory } from './stack-interner.ts';

/** No pid, tid or stream id that a sample could have; −1 is "not recorded". */
const NOBODY = -2;

/** The last sample of a CPU, since the next one is mostly much the same. */
export class CpuMemory {
  pid = NOBODY;
  tid = NOBODY;
  thread = NONE as ThreadIndex;
  comm = 0;
  streamId = NOBODY;
  id = NOBODY;
  attrIndex = NONE as number;
  stream: number = NONE;
  /** Stream and id are those of another recorder's event. */
  isForeign = false;
  readonly chain: ChainMemory = newChainMemory();
  /** Time of the last LOST record. */
  lostNs = Number.NaN;
}

/** The memories of all CPUs. */
export class CpuMemories {
  /** Memories by CPU + 1; slot 0 for samples that do not say. */
  #memories: CpuMemory[] = [];

  of(cpu: number): CpuMemory {
    const slot = cpu + 1;
    let memory = this.#memories[slot];
    if (memory === undefined) {
      memory = new CpuMemory();
      this.#memories[slot] = memory;
    }
    return memory;
  }

  /** After other code came to some address: equal callchains are other stacks from now on. */
  forgetChains(): void {
    for (const memory of this.#memories) if (memory !== undefined) memory.chain.length = 0;
  }

  /** After a record that says who is who: nothing is known of the next samples. */
  forget(): void {
    this.#memories = [];
  }
}
