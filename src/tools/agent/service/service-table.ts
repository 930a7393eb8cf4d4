import type { ProfileThread } from '../../../profile/types.ts';
import { StrangerReads } from '../../../system/strangers/stranger-reads.ts';
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
/** Time limit for all processes of a window together: those that do not answer by then are named after their comm. */
const MOST_LEARN_MS = 2000;

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
  /** Told once when the kernel holds a helper at a process that does not serve its own memory or files. */
  readonly notify?: (notice: string) => void;
};

type Thread = Pick<ProfileThread, 'pid' | 'comm' | 'generation'>;

/** The services of processes, kept while these run and are sampled. */
export class ServiceTable {
  readonly #parentOf: (pid: number) => number;
  readonly #containers: ContainerNames;
  readonly #now: () => number;
  readonly #notify: (notice: string) => void;
  readonly #reads = new StrangerReads();
  #hasReportedHeld = false;
  #known = new Map<number, KnownProcess>();
  #asked = new Map<number, KnownProcess>();
  /** Processes that are being asked. */
  readonly #asking = new Map<number, Promise<Service | null>>();

  constructor({ parentOf, containers, now, notify }: ServiceTableOptions) {
    this.#notify = notify ?? (() => {});
    this.#parentOf = parentOf;
    this.#containers = containers ?? new ContainerNames();
    this.#now = now ?? (() => performance.now());
  }

  /** The services of sampled threads, in their order. It takes no longer than `MOST_LEARN_MS`, whoever is asked. */
  async of(threads: readonly Thread[]): Promise<Service[]> {
    // Helpers of the window before, which have had the time to end.
    this.#reportHeld();
    const timer = setTimeout(() => this.#reads.giveUp(), MOST_LEARN_MS);
    try {
      return await Promise.all(threads.map((thread) => this.#serviceOf(thread)));
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#reads.giveUp();
  }

  #reportHeld(): void {
    const { abandoned } = this.#reads;
    if (abandoned === 0 || this.#hasReportedHeld) return;
    this.#hasReportedHeld = true;
    this.#notify(
      `the kernel holds ${abandoned === 1 ? 'a helper' : `${abandoned} helpers`} at memory or files that a process ` +
        'serves and does not deliver: services may be named after their comm',
    );
  }

  async #serviceOf({ pid, comm, generation }: Thread): Promise<Service> {
    if (pid === 0) return IDLE;
    const own = await this.#find(pid, comm, generation);
    if (own !== null) return own;
    // It is gone, and what it was started by is mostly the same service: a shell of a unit, a container's.
    let ancestor = this.#parentOf(pid);
    for (let i = 0; i < MOST_ANCESTORS && ancestor > 1; i++) {
      const service = await this.#find(ancestor, '', 0);
      if (service !== null) {
        const named = service.source !== 'comm' && service.source !== 'package';
        return named && service.source !== 'kernel' ? service : ofComm(comm);
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

  #find(pid: number, comm: string, generation: number): Promise<Service | null> {
    const asked = this.#asked.get(pid);
    if (asked !== undefined) return Promise.resolve(asked.service);
    const asking = this.#asking.get(pid) ?? this.#ask(pid, comm, generation);
    this.#asking.set(pid, asking);
    return asking.finally(() => this.#asking.delete(pid));
  }

  async #ask(pid: number, comm: string, generation: number): Promise<Service | null> {
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
    const found = await identifyProcess(pid, comm, this.#containers, this.#reads);
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
