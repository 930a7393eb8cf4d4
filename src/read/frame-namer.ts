import { NONE } from '../base/brand.ts';
import { isPlaceName } from '../base/place-name.ts';
import { formatAddress } from '../base/u64.ts';
import type { ProcessTable } from '../code/process/process-table.ts';
import type { DsoIndex, MappingIndex } from '../code/process/types.ts';
import type { DsoLines } from '../code/symbols/dso-lines.ts';
import type { Symbolizer } from '../code/symbols/symbolizer.ts';
import {
  firstUserEntry,
  isContextMarker,
  lookupAddressAt,
} from '../kernel/perf-event/callchain.ts';
import { PERF_CONTEXT, PERF_RECORD_MISC } from '../kernel/perf-event/constants.ts';
import type { SampleView } from '../kernel/perf-event/sample.ts';
import type { RecordedMachine } from './recorded-machine.ts';

/** One entry of a callchain with its name, leaf first. */
export type NamedFrame = {
  readonly ip: string;
  readonly symbol: string | null;
  /** Bytes from the symbol's start; null without a symbol. */
  readonly offset: number | null;
  readonly dso: string | null;
  /** True for a call that the compiler inlined into the next frame that is none. */
  readonly inlined: boolean;
  /** Path of the source file; absent where it is not known. */
  readonly file?: string;
  /** Line from 1; 0: no line made this code. Absent where it is not known. */
  readonly line?: number;
};

/** The lines that are read from DWARF. */
export type FrameLines = {
  readonly lines: DsoLines;
  /** Whether inlined calls are frames. */
  readonly inline: boolean;
};

/** Frames of one DSO are few and recur: their names are kept, up to so many. */
const MOST_REMEMBERED = 1 << 18;

/** Names the addresses of samples, as of the moment that the process table shows. */
export class FrameNamer {
  readonly #machine: RecordedMachine;
  readonly #symbolizer: Symbolizer;
  /** Paths of the DSOs met so far. */
  #paths: readonly string[] = [];
  /** Names by DSO: address in the DSO -> what is there. */
  #known: Map<number, Named>[] = [];
  /** The name that `frame` found last. */
  #last: Named | null = null;
  #knownCount = 0;
  readonly #frameLines: FrameLines | null;

  /** `frameLines` null: names only. */
  constructor(
    machine: RecordedMachine,
    symbolizer: Symbolizer,
    frameLines: FrameLines | null = null,
  ) {
    this.#machine = machine;
    this.#symbolizer = symbolizer;
    this.#frameLines = frameLines;
  }

  close(): void {
    this.#frameLines?.lines.close();
  }

  /**
   * The frames of a sample's callchain, leaf first, its context markers left out. As in perf, the
   * callers in an unwound chain (`isUnwound`) are shown where they call, not where that returns to.
   */
  chain(sample: SampleView, littleEndian: boolean, isUnwound = false): NamedFrame[] {
    const { view, misc, callchain, callchainLength, callchainOffset, pid } = sample;
    return this.frames(callchain, callchainLength, pid, ownerByMode(misc), isUnwound, (i) =>
      view.getBigUint64(callchainOffset + 8 * i, littleEndian),
    );
  }

  /**
   * The frames of a callchain from anywhere. `bitsAt` has the entries that are too large for numbers:
   * no addresses of any code, but shown as they are.
   */
  frames(
    callchain: Float64Array,
    length: number,
    pid: number,
    startOwner: Owner,
    isUnwound = false,
    bitsAt?: (entry: number) => bigint,
  ): NamedFrame[] {
    const frames: NamedFrame[] = [];
    const userEntries = firstUserEntry(callchain, length);
    let owner = startOwner;
    for (let i = 0; i < length; i++) {
      const address = callchain[i];
      if (isContextMarker(address)) {
        owner = OWNER_OF_CONTEXT.get(address) ?? 'unknown';
        continue;
      }
      if (bitsAt !== undefined && !Number.isSafeInteger(address)) {
        frames.push({ ...UNKNOWN, ip: `0x${bitsAt(i).toString(16)}` });
        continue;
      }
      const lookup = lookupAddressAt(callchain, i);
      const shown = isUnwound && i >= userEntries ? lookup : address;
      const frame = this.frame(pid, shown, lookup, owner);
      this.#addInlined(frame, frames);
      frames.push(frame);
    }
    return frames;
  }

  /** `address`, named by what is at `lookup`. */
  frame(pid: number, address: number, lookup = address, owner: Owner = 'unknown'): NamedFrame {
    const { processes, jit } = this.#machine;
    const mapping = findMapping(processes, pid, lookup, owner);
    this.#last = null;
    const { mappings } = processes;
    const mapped = mapping === NONE ? (NONE as DsoIndex) : mappings.dso(mapping);
    const dso = jit?.dsoAt(pid, mapped, lookup) ?? mapped;
    if (dso === NONE) return unnamed(address);
    const inDso = mapping === NONE ? lookup : mappings.addressInDso(mapping, lookup);
    const named = this.#nameOf(dso, inDso);
    const { symbol, start, place } = named;
    this.#last = named;
    return {
      ip: formatAddress(address),
      symbol,
      offset: symbol === null ? null : inDso - start + (address - lookup),
      dso: this.#pathOf(dso),
      inlined: false,
      ...place,
    };
  }

  /** Adds the calls that were inlined where `frame`, the last that was named, is: innermost first. */
  #addInlined({ ip, offset, dso }: NamedFrame, frames: NamedFrame[]): void {
    for (const { symbol, place } of this.#last?.inlined ?? []) {
      frames.push({ ip, symbol, offset, dso, inlined: true, ...place });
    }
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
    // As in perf, a frame without a symbol has none.
    const isNamed = resolved !== null && !isPlaceName(resolved.name);
    const named = {
      symbol: isNamed ? resolved.name : null,
      start: isNamed ? resolved.symbolStart : 0,
      ...this.#locate(dso, address),
    };
    if (++this.#knownCount > MOST_REMEMBERED) {
      this.#known = [];
      this.#knownCount = 0;
    } else {
      ofDso.set(address, named);
    }
    return named;
  }

  #locate(dso: DsoIndex, address: number): Pick<Named, 'place' | 'inlined'> {
    const line = this.#machine.jit?.line(dso, address) ?? null;
    if (line !== null) {
      const isPlaced = line.file !== '' && line.line > 0;
      const place = isPlaced ? { file: line.file, line: line.line } : {};
      if (line.inlined === undefined || this.#frameLines?.inline !== true) {
        return { place, inlined: [] };
      }
      return { place: {}, inlined: [{ symbol: line.inlined, place }] };
    }
    if (this.#frameLines === null) return NOWHERE;
    const { lines, inline } = this.#frameLines;
    const count = lines.find(dso, address);
    if (count === 0) return NOWHERE;
    const placeOf = (row: number): Place => {
      const file = lines.file(row);
      return file === '' ? {} : { file, line: lines.frames.line[row] };
    };
    const inlined: Named['inlined'] = Array.from({ length: inline ? count - 1 : 0 }, (_, row) => ({
      symbol: lines.name(row) || null,
      place: placeOf(row),
    }));
    return { place: placeOf(inline ? count - 1 : 0), inlined };
  }

  #pathOf(dso: DsoIndex): string {
    if (dso >= this.#paths.length) {
      this.#paths = this.#machine.processes.dsos.finish().map(({ path }) => path);
    }
    return this.#paths[dso];
  }
}

type Place = Pick<NamedFrame, 'file' | 'line'>;

type Named = {
  readonly symbol: string | null;
  readonly start: number;
  readonly place: Place;
  /** Innermost first. */
  readonly inlined: readonly { readonly symbol: string | null; readonly place: Place }[];
};

const NOWHERE = { place: {}, inlined: [] } as const;

const UNKNOWN = { symbol: null, offset: null, dso: null, inlined: false } as const;

/** A frame outside every mapping. */
function unnamed(address: number): NamedFrame {
  return { ip: formatAddress(address), ...UNKNOWN };
}

/** The owner of an address; unknown: its half of the address space says it. */
export type Owner = 'kernel' | 'user' | 'unknown';

const OWNER_OF_CONTEXT: ReadonlyMap<number, Owner> = new Map([
  [PERF_CONTEXT.KERNEL, 'kernel'],
  [PERF_CONTEXT.USER, 'user'],
]);

/** The owner of a record's address by its header. */
export function ownerByMode(misc: number): Owner {
  const mode = misc & PERF_RECORD_MISC.CPUMODE_MASK;
  if (mode === PERF_RECORD_MISC.KERNEL) return 'kernel';
  return mode === PERF_RECORD_MISC.USER ? 'user' : 'unknown';
}

function findMapping(
  processes: ProcessTable,
  pid: number,
  address: number,
  owner: Owner,
): MappingIndex {
  if (owner === 'kernel') return processes.findKernelMapping(address);
  if (owner === 'user') return processes.findUserMapping(pid, address);
  return processes.findMapping(pid, address);
}
