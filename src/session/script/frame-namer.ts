import { NONE } from '../../base/brand.ts';
import { formatAddress, isKernelAddress } from '../../base/u64.ts';
import { firstUserEntry, isContextMarker, lookupAddressAt } from '../../perf-event/callchain.ts';
import { PERF_CONTEXT, PERF_RECORD_MISC } from '../../perf-event/constants.ts';
import type { SampleView } from '../../perf-event/sample.ts';
import type { DsoIndex } from '../../process/types.ts';
import type { Symbolizer } from '../../symbols/symbolizer.ts';
import type { Pipeline } from '../read/pipeline.ts';

/** One entry of a callchain with its name, leaf first. */
export type NamedFrame = {
  readonly ip: string;
  readonly symbol: string | null;
  /** Bytes from the symbol's start; null without a symbol. */
  readonly offset: number | null;
  readonly dso: string | null;
  readonly inlined: boolean;
};

/** Frames of one DSO are few and recur: their names are kept, up to so many. */
const MOST_REMEMBERED = 1 << 18;

/** Names the addresses of samples, as of the moment that the pipeline's process table shows. */
export class FrameNamer {
  readonly #pipeline: Pipeline;
  readonly #symbolizer: Symbolizer;
  /** Paths of the DSOs met so far. */
  #paths: readonly string[] = [];
  /** By DSO: address in the DSO -> what is there. */
  #known: Map<number, Named>[] = [];
  #knownCount = 0;

  constructor(pipeline: Pipeline, symbolizer: Symbolizer) {
    this.#pipeline = pipeline;
    this.#symbolizer = symbolizer;
  }

  /**
   * The frames of a sample's callchain, leaf first, its context markers left out; `view` is what the
   * sample was decoded from, `misc` its header's. As in perf, the callers in an unwound chain
   * (`isUnwound`) are shown where they call, not where that returns to.
   */
  chain(
    sample: SampleView,
    view: DataView,
    littleEndian: boolean,
    misc: number,
    isUnwound = false,
  ): NamedFrame[] {
    const { callchain, callchainLength, callchainOffset, pid } = sample;
    const frames = this.frames(callchain, callchainLength, pid, isKernelMode(misc), isUnwound);
    let frame = 0;
    for (let i = 0; i < callchainLength; i++) {
      const address = callchain[i] as number;
      if (isContextMarker(address)) continue;
      if (!Number.isSafeInteger(address)) {
        // No address of any code, but shown as it is.
        const bits = view.getBigUint64(callchainOffset + 8 * i, littleEndian);
        frames[frame] = { ...UNKNOWN, ip: `0x${bits.toString(16)}` };
      }
      frame++;
    }
    return frames;
  }

  /** The same for a callchain from anywhere. */
  frames(
    callchain: Float64Array,
    length: number,
    pid: number,
    startsInKernel: boolean,
    isUnwound = false,
  ) {
    const frames: NamedFrame[] = [];
    const userEntries = firstUserEntry(callchain, length);
    let isKernel = startsInKernel;
    for (let i = 0; i < length; i++) {
      const address = callchain[i] as number;
      if (isContextMarker(address)) {
        isKernel = address === PERF_CONTEXT.KERNEL;
        continue;
      }
      const lookup = lookupAddressAt(callchain, i);
      const shown = isUnwound && i >= userEntries ? lookup : address;
      const isStray = i >= userEntries && isKernelAddress(lookup);
      frames.push(isStray ? unnamed(address) : this.frame(pid, shown, lookup, isKernel));
    }
    return frames;
  }

  /** `address`, named by what is at `lookup`. */
  frame(pid: number, address: number, lookup = address, isKernel = false): NamedFrame {
    const { processes, jit } = this.#pipeline;
    const mapping = isKernel
      ? processes.findKernelMapping(lookup)
      : processes.findMapping(pid, lookup);
    if (mapping === NONE) return unnamed(address);
    const mapped = processes.mappings.dso(mapping);
    const dso = jit?.isJit(mapped) ? jit.place(mapped, lookup) : mapped;
    const inDso = processes.mappings.addressInDso(mapping, lookup);
    const { symbol, start } = this.#nameOf(dso, inDso);
    return {
      ip: formatAddress(address),
      symbol,
      offset: symbol === null ? null : inDso - start + (address - lookup),
      dso: this.#pathOf(dso),
      inlined: false,
    };
  }

  #nameOf(dso: DsoIndex, address: number): Named {
    let ofDso = this.#known[dso];
    if (ofDso === undefined) {
      ofDso = new Map();
      this.#known[dso] = ofDso;
    }
    const known = ofDso.get(address);
    if (known !== undefined) return known;
    const resolved = this.#symbolizer.resolve(dso, address);
    const named =
      resolved === null
        ? { symbol: null, start: 0 }
        : { symbol: resolved.name, start: resolved.symbolStart };
    if (++this.#knownCount > MOST_REMEMBERED) {
      this.#known = [];
      this.#knownCount = 0;
    } else {
      ofDso.set(address, named);
    }
    return named;
  }

  #pathOf(dso: DsoIndex): string {
    if (dso >= this.#paths.length) {
      this.#paths = this.#pipeline.processes.dsos.finish().map(({ path }) => path);
    }
    return this.#paths[dso] as string;
  }
}

type Named = { readonly symbol: string | null; readonly start: number };

const UNKNOWN = { symbol: null, offset: null, dso: null, inlined: false } as const;

/** A frame outside every mapping. */
function unnamed(address: number): NamedFrame {
  return { ip: formatAddress(address), ...UNKNOWN };
}

/** Whether a record's address is one of the kernel: 32-bit kernels are in the lower half. */
export function isKernelMode(misc: number): boolean {
  return (misc & PERF_RECORD_MISC.CPUMODE_MASK) === PERF_RECORD_MISC.KERNEL;
}
