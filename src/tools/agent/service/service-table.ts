import type { ProfileThread } from '../../../profile/types.ts';
import { ContainerNames } from './container-names.ts';
import { type IdentifiedProcess, identifyProcess, startTicksOf } from './identify-process.ts';
import type { Service } from './service.ts';

/**
 * A process may say who it is after its start: it is asked again when it has been known for twice
 * as long, but not sooner and not later than so.
 */
const ASK_AGAIN_MS = 60_000;
const MOST_ASK_AGAIN_MS = 600_000;
/** Ancestors that are asked for a process that is gone. */
const MOST_ANCESTORS = 8;

type KnownProcess = IdentifiedProcess & {
  readonly generation: number;
  readonly firstMs: number;
  readonly askedMs: number;
};

export type ServiceTableOptions = {
  /** Pid of the parent as far as it is known, −1 otherwise. */
  readonly parentOf: (pid: number) => number;
  readonly containers?: ContainerNames;
  readonly now?: () => number;
};

/** The services of processes, kept while these run and are sampled. */
export class ServiceTable {
  readonly #parentOf: (pid: number) => number;
  readonly #containers: ContainerNames;
  readonly #now: () => number;
  #known = new Map<number, KnownProcess>();
  #asked = new Map<number, KnownProcess>();

  constructor({ parentOf, containers, now }: ServiceTableOptions) {
    this.#parentOf = parentOf;
    this.#containers = containers ?? new ContainerNames();
    this.#now = now ?? (() => performance.now());
  }

  /** The service of a sampled thread. */
  of({ pid, comm, generation }: Pick<ProfileThread, 'pid' | 'comm' | 'generation'>): Service {
    if (pid === 0) return IDLE;
    const own = this.#find(pid, comm, generation);
    if (own !== null) return own;
    // It is gone, and what it was started by is mostly the same service: a shell of a unit, a container's.
    let ancestor = this.#parentOf(pid);
    for (let i = 0; i < MOST_ANCESTORS && ancestor > 1; i++) {
      const service = this.#find(ancestor, '', 0);
      if (service !== null) {
        const says = service.source !== 'comm' && service.source !== 'package';
        return says && service.source !== 'kernel' ? service : ofComm(comm);
      }
      ancestor = this.#parentOf(ancestor);
    }
    return ofComm(comm);
  }

  /** Forgets the processes that were not asked for since this was called last. */
  endWindow(): void {
    this.#known = this.#asked;
    this.#asked = new Map();
  }

  #find(pid: number, comm: string, generation: number): Service | null {
    const asked = this.#asked.get(pid);
    if (asked !== undefined) return asked.service;
    const nowMs = this.#now();
    const known = this.#known.get(pid);
    const isRecent =
      known !== undefined &&
      known.generation === generation &&
      nowMs - known.askedMs < pauseOf(known);
    if (isRecent) {
      const startTicks = startTicksOf(pid);
      // Where it has ended meanwhile, it still was what it was.
      if (startTicks === null || startTicks === known.startTicks) {
        this.#asked.set(pid, known);
        return known.service;
      }
    }
    const found = identifyProcess(pid, comm, this.#containers);
    if (found === null) return known?.service ?? null;
    const isSame = known?.generation === generation && known.startTicks === found.startTicks;
    const firstMs = isSame ? known.firstMs : nowMs;
    this.#asked.set(pid, { ...found, generation, firstMs, askedMs: nowMs });
    return found.service;
  }
}

function pauseOf({ firstMs, askedMs }: KnownProcess): number {
  return Math.min(MOST_ASK_AGAIN_MS, Math.max(ASK_AGAIN_MS, askedMs - firstMs));
}

const IDLE: Service = { name: 'idle', source: 'idle', attributes: {} };

function ofComm(comm: string): Service {
  return { name: comm === '' ? '[unknown]' : comm.slice(0, 64), source: 'comm', attributes: {} };
}
