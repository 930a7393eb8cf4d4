import { setTimeout as sleep } from 'node:timers/promises';
import { Deferred } from '../../base/deferred.ts';
import { getOrMake } from '../../base/group-by.ts';
import { findHeldNode } from '../../system/runtimes/node-program.ts';
import { readTextOrEmpty } from '../../system/small-file.ts';
import { StrangerReads } from '../../system/strangers/stranger-reads.ts';
import type { MappedNode } from '../jit-maps/unmapped-node.ts';
import type { CodeEventSink } from './code-event-sink.ts';
import { takesSignal } from './open-inspector.ts';

const LOOK_MS = 50;
/** How long a Node is given until it takes signals, or its preload reports code. */
const BEGIN_MS = 3000;
/** Variables of a Node that loads the preload: the session alone does nothing. */
const PRELOADED = [/^PERF_TS_SESSION=/, /^NODE_OPTIONS=.*--require .*\bboot(?:-[\da-f]+)?\.cjs/];
/** Processes that are waited for or were asked; no more are. */
const MOST_PIDS = 512;
/** Programs that are looked at. */
const MOST_PROGRAMS = 512;

/**
 * Node processes that begin while a recording runs and load no preload, since who starts them gives them another
 * environment. `meet` hears which programs were mapped; `pids` gives each process when it can be asked for its code.
 */
export class LateNodes {
  /** Processes that are not asked by us: they were there before, or are waited for, or have been asked. */
  readonly #known: Set<number>;
  readonly #waiting: number[] = [];
  readonly #asked = new Set<number>();
  /** Whether programs of other names than Node's hold Node, by their paths. */
  readonly #held = new Map<string, boolean>();
  readonly #reads = new StrangerReads();
  /** Knows who reports code already, and takes that of who is asked. */
  readonly #code: Pick<CodeEventSink, 'has' | 'admit'>;
  #met = new Deferred<void>();
  #isEnded = false;

  constructor(known: readonly number[], code: Pick<CodeEventSink, 'has' | 'admit'>) {
    this.#known = new Set(known);
    this.#code = code;
  }

  /** Processes that were asked, whatever came of it. */
  get asked(): ReadonlySet<number> {
    return this.#asked;
  }

  /** Takes the Nodes among the mappings that have come since. */
  meet({ programs, others }: Pick<MappedNode, 'programs' | 'others'>): void {
    const nodes = [...programs.keys()];
    for (const [pid, path] of others) if (this.#holdsNode(path)) nodes.push(pid);
    for (const pid of nodes) {
      if (this.#known.has(pid) || this.#known.size >= MOST_PIDS) continue;
      this.#known.add(pid);
      this.#waiting.push(pid);
    }
    if (this.#waiting.length > 0) this.#met.settle();
  }

  #holdsNode(path: string): boolean {
    if (!this.#held.has(path) && this.#held.size >= MOST_PROGRAMS) return false;
    return getOrMake(this.#held, path, () => findHeldNode(path) !== null);
  }

  /** Each process that is to be asked, until `end`; none before `others` have been, since all inspectors want one port. */
  async *pids(others: Promise<void>): AsyncGenerator<number, void> {
    await others;
    while (!this.#isEnded) {
      const pid = this.#waiting.shift();
      if (pid === undefined) {
        await this.#met.promise;
        this.#met = new Deferred();
      } else if (await this.#isToBeAsked(pid)) {
        this.#asked.add(pid);
        this.#code.admit(pid);
        yield pid;
      }
    }
  }

  /** Resolves once the process has begun as Node: SIGUSR1 would end it before. */
  async #isToBeAsked(pid: number): Promise<boolean> {
    const end = performance.now() + BEGIN_MS;
    while (!this.#isEnded && performance.now() < end && !this.#code.has(pid)) {
      const status = readTextOrEmpty(`/proc/${pid}/status`);
      if (status === '') return false;
      if (takesSignal(status)) {
        const environment = await this.#reads.environment(pid);
        return !PRELOADED.every((pattern) => environment.some((entry) => pattern.test(entry)));
      }
      await sleep(LOOK_MS);
    }
    return false;
  }

  end(): void {
    this.#isEnded = true;
    this.#met.settle();
    this.#reads.giveUp();
  }
}
