import { existsSync } from 'node:fs';
import { NONE } from '../../../base/brand.ts';
import type { ProfileThread } from '../../../profile/types.ts';
import { StrangerReads } from '../../../system/strangers/stranger-reads.ts';
import { ContainerNames } from './container-names.ts';
import {
  type GroupService,
  type IdentifiedProcess,
  identifyCgroup,
  identifyProcess,
  startTicksOf,
} from './identify-process.ts';
import { boundedService, type Service } from './service.ts';

/**
 * A process may say who it is after its start: it is asked again when it has been known for twice
 * as long, but not sooner and not later than so.
 */
const ASK_AGAIN_MS = 5000;
const MOST_ASK_AGAIN_MS = 600_000;
/**
 * A program that has begun is asked when it is still there after this, sampled or not: one of a second that mostly waits
 * is gone before a sample of it comes. Most of those that a build starts have ended by then.
 */
const ASK_BEGUN_MS = 100;
/** Programs that have begun and are not asked yet; those beyond are asked when they are sampled. */
const MOST_BEGUN = 4096;
/** Ancestors that are asked for a process that is gone. */
const MOST_ANCESTORS = 8;
/** Time limit for all processes of a window together: those that do not answer by then are named after their program. */
const MOST_LEARN_MS = 2000;

type KnownProcess = IdentifiedProcess & {
  readonly generation: number;
  readonly firstMs: number;
  readonly askedMs: number;
};

export type ServiceTableOptions = {
  /** Pid of the parent as far as it is known, −1 otherwise. */
  readonly parentOf: (pid: number) => number;
  /** The comm with which a process began; '' where that is not known. */
  readonly nameOf: (pid: number) => string;
  /** The path of the control group in which a process was sampled last; '' where that is not known. */
  readonly cgroupOf?: (pid: number) => string;
  readonly containers?: ContainerNames;
  readonly now?: () => number;
  /** Told once when the kernel holds a helper at a process that does not serve its own memory or files. */
  readonly notify?: (notice: string) => void;
};

type Process = Pick<ProfileThread, 'pid' | 'generation'>;

/** The services of processes, kept while these run and are sampled. */
export class ServiceTable {
  readonly #parentOf: (pid: number) => number;
  readonly #nameOf: (pid: number) => string;
  readonly #cgroupOf: (pid: number) => string;
  readonly #containers: ContainerNames;
  readonly #now: () => number;
  readonly #notify: (notice: string) => void;
  readonly #reads = new StrangerReads();
  #hasReportedHeld = false;
  #known = new Map<number, KnownProcess>();
  #asked = new Map<number, KnownProcess>();
  /** Processes that are being asked. */
  readonly #asking = new Map<number, Promise<unknown>>();
  /** Comms of the programs that have begun and are not asked yet, by pid. */
  readonly #unasked = new Map<number, string>();
  /** Answers of the programs that have begun since the window before, by pid: their generations are not known. */
  readonly #begun = new Map<number, KnownProcess>();
  #begunTimer: NodeJS.Timeout | undefined;
  #endedMs = Number.NEGATIVE_INFINITY;
  /** The generations of processes of this window that were asked, or were gone. */
  #met = new Map<number, number>();

  constructor({ parentOf, nameOf, cgroupOf, containers, now, notify }: ServiceTableOptions) {
    this.#notify = notify ?? (() => {});
    this.#parentOf = parentOf;
    this.#nameOf = nameOf;
    this.#cgroupOf = cgroupOf ?? (() => '');
    this.#containers = containers ?? new ContainerNames();
    this.#now = now ?? (() => performance.now());
  }

  /** The services of sampled threads, in their order. It takes no longer than `MOST_LEARN_MS`, whoever is asked. */
  async of(threads: readonly Process[]): Promise<Service[]> {
    // Helpers of the window before, which have had the time to end.
    this.#reportHeld();
    const timer = setTimeout(() => this.#reads.stopWaiting(), MOST_LEARN_MS);
    try {
      return await Promise.all(threads.map((thread) => this.#serviceOf(thread)));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Asks processes that were sampled while they are there: those of a second are gone when their window ends. */
  async learn(processes: readonly Process[]): Promise<void> {
    const isNew = ({ pid, generation }: Process) => pid !== 0 && this.#met.get(pid) !== generation;
    const found = processes.filter(isNew).map(({ pid, generation }) => {
      this.#met.set(pid, generation);
      return this.#find(pid, generation);
    });
    await Promise.all(found);
  }

  /** Notes a process that begins (`comm` null) or runs another program: what was known of its pid is of another one. */
  meet(pid: number, comm: string | null): void {
    this.#begun.delete(pid);
    this.#unasked.delete(pid);
    if (comm === null || this.#unasked.size >= MOST_BEGUN) return;
    this.#unasked.set(pid, comm);
    this.#begunTimer ??= setTimeout(() => this.#askBegun(), ASK_BEGUN_MS);
  }

  close(): void {
    clearTimeout(this.#begunTimer);
    this.#reads.giveUp();
  }

  #askBegun(): void {
    this.#begunTimer = undefined;
    for (const [pid, comm] of [...this.#unasked]) {
      // An answer that is under way may be that of the program before.
      if (this.#asking.has(pid)) this.meet(pid, comm);
      else if (existsSync(`/proc/${pid}`)) void this.#noteAsking(pid, this.#identify(pid, comm));
      else this.#unasked.delete(pid);
    }
  }

  async #identify(pid: number, comm: string): Promise<IdentifiedProcess | null> {
    const nowMs = this.#now();
    const hasBegun = this.#unasked.delete(pid);
    const found = await identifyProcess(pid, comm, this.#containers, this.#reads);
    // A process that is among them again runs another program by now.
    if (hasBegun && found?.hasAnswered && !this.#unasked.has(pid)) {
      this.#begun.set(pid, { ...found, generation: NONE, firstMs: nowMs, askedMs: nowMs });
    }
    return found;
  }

  #noteAsking<Answer>(pid: number, asking: Promise<Answer>): Promise<Answer> {
    this.#asking.set(pid, asking);
    return asking.finally(() => {
      if (this.#asking.get(pid) === asking) this.#asking.delete(pid);
    });
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

  async #serviceOf({ pid, generation }: Process): Promise<Service> {
    if (pid === 0) return IDLE;
    const own = await this.#find(pid, generation);
    if (own !== null) return own;
    const group = identifyCgroup(`0::${this.#cgroupOf(pid)}`, this.#containers);
    const program = this.#nameOf(pid);
    const alone = boundedService(
      group.named === null
        ? { ...ofProgram(program), attributes: group.attributes }
        : { ...group.named, attributes: group.attributes },
    );
    // It is gone, and what it was started by is mostly the same service: a shell of a unit, a container's.
    let ancestor = this.#parentOf(pid);
    for (let i = 0; i < MOST_ANCESTORS && ancestor > 1; i++) {
      // A container's processes run in a unit of their own, not in the runtime's.
      if (CONTAINER_RUNTIME.test(this.#nameOf(ancestor))) break;
      const service = await this.#find(ancestor, 0);
      if (service !== null) {
        const isNamed = !['comm', 'package', 'kernel'].includes(service.source);
        return isNamed && isOfGroup(service, group) ? service : alone;
      }
      ancestor = this.#parentOf(ancestor);
    }
    return alone;
  }

  /** Forgets the processes that were not asked for since this was called last. */
  endWindow(): void {
    this.#known = this.#asked;
    this.#asked = new Map();
    this.#met = new Map();
    // A sample that waits for its order comes in the next window.
    for (const [pid, { askedMs }] of this.#begun) {
      if (askedMs < this.#endedMs) this.#begun.delete(pid);
    }
    this.#endedMs = this.#now();
  }

  async #find(pid: number, generation: number): Promise<Service | null> {
    // An answer to an earlier question may be that of the program before.
    for (let before = this.#asking.get(pid); before !== undefined; before = this.#asking.get(pid)) {
      await before;
    }
    const asked = this.#asked.get(pid);
    if (asked !== undefined && asked.generation >= generation) return asked.service;
    return this.#noteAsking(pid, this.#ask(pid, generation));
  }

  async #ask(pid: number, generation: number): Promise<Service | null> {
    const nowMs = this.#now();
    const before = this.#known.get(pid);
    const known = before?.generation === generation ? before : this.#begun.get(pid);
    if (known !== undefined && nowMs - known.askedMs < pauseOf(known)) {
      const startTicks = startTicksOf(pid);
      // Where it has ended meanwhile, it still was what it was.
      if (startTicks === null || startTicks === known.startTicks) {
        this.#asked.set(pid, { ...known, generation });
        return known.service;
      }
    }
    const found = await this.#identify(pid, this.#nameOf(pid));
    if (found === null) return known?.service ?? null;
    if (!found.hasAnswered) {
      // Once in a window is enough to wait for it: the next one asks again.
      const kept = known ?? { ...found, firstMs: nowMs };
      this.#asked.set(pid, { ...kept, generation, askedMs: Number.NEGATIVE_INFINITY });
      return kept.service;
    }
    const firstMs = known?.startTicks === found.startTicks ? known.firstMs : nowMs;
    this.#asked.set(pid, { ...found, generation, firstMs, askedMs: nowMs });
    return found.service;
  }
}

function pauseOf({ firstMs, askedMs }: KnownProcess): number {
  return Math.min(MOST_ASK_AGAIN_MS, Math.max(ASK_AGAIN_MS, askedMs - firstMs));
}

/** Whether a process with this service is in the same unit and container, as far as those of the other are known. */
function isOfGroup({ attributes }: Service, group: GroupService): boolean {
  return ['container.id', 'systemd.unit'].every(
    (name) =>
      Object.keys(group.attributes).length === 0 || attributes[name] === group.attributes[name],
  );
}

const IDLE: Service = { name: 'idle', source: 'idle', attributes: {} };

/** Processes that start containers, which are none of their own unit. */
const CONTAINER_RUNTIME = /^(?:containerd|conmon|crun|runc|dockerd|crio|youki|kata)/;

function ofProgram(name: string): Service {
  return { name: name === '' ? '[unknown]' : name.slice(0, 64), source: 'comm', attributes: {} };
}
