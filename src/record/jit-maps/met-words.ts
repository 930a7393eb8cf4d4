import { StrangerReads } from '../../system/strangers/stranger-reads.ts';
import type { MappedNode } from './unmapped-node.ts';

/** A Node with the preload reports code before. */
const REPORTS_MS = 100;
const MOST_PIDS = 512;

/**
 * The command lines of Nodes that report no code, read while they run: what a process was is asked for when the recording
 * ends, and it may be gone by then.
 */
export class MetWords {
  readonly #reads = new StrangerReads();
  /** Processes that may report their code yet. */
  readonly #met = new Set<number>();
  readonly #words = new Map<number, Promise<readonly string[]>>();
  #isEnded = false;

  /** Takes the Nodes among the mappings that have come since. `reports`: whether a process reports its code. */
  meet({ programs }: Pick<MappedNode, 'programs'>, reports: (pid: number) => boolean): void {
    for (const pid of programs.keys()) {
      const room = MOST_PIDS - this.#met.size - this.#words.size;
      if (room <= 0 || this.#met.has(pid)) continue;
      this.#met.add(pid);
      const look = setTimeout(() => {
        this.#met.delete(pid);
        if (!this.#isEnded && !reports(pid)) this.#words.set(pid, this.#reads.commandLine(pid));
      }, REPORTS_MS);
      look.unref();
    }
  }

  /** Nothing runs any more whose command line may be gone later. */
  end(): void {
    this.#isEnded = true;
  }

  /** Words of a process, as they were when it was met, or are now; empty where neither is known. */
  async of(pid: number): Promise<readonly string[]> {
    const words = (await this.#words.get(pid)) ?? [];
    return words.length > 1 ? words : this.#reads.commandLine(pid);
  }
}
