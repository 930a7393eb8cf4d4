import type { EventSources } from '../../kernel/events/event-sources.ts';
import type { CommandSpec, NativeBinding } from '../../native/types.ts';
import type { UserOptions } from '../../system/accounts/run-as.ts';

/** How counts are put together. */
export type Aggregation = 'total' | 'cpu' | 'core' | 'socket' | 'thread';

/** The events to count, the target, and how counts are aggregated. */
export type StatOptions = UserOptions & {
  /** Words of the command line; with `systemWide` it only says how long. */
  readonly command?: readonly string[];
  readonly pids?: readonly number[];
  readonly tids?: readonly number[];
  readonly systemWide?: boolean;
  /** Everything on these CPUs. */
  readonly cpus?: readonly number[];
  /** Paths of control groups, each counted by itself; system-wide. */
  readonly cgroups?: readonly string[];

  /** perf's event syntax; absent: the default set. */
  readonly events?: readonly string[];
  /** 0 … 3: how many more caches join the default set. */
  readonly detail?: number;
  readonly topdown?: boolean;
  /** Only user or kernel code of every event. */
  readonly only?: 'user' | 'kernel';
  /** Default true: threads and children that start later count, too. */
  readonly inherit?: boolean;

  readonly aggregation?: Aggregation;
  /** Runs of the command; default 1. */
  readonly repeat?: number;
  readonly intervalMs?: number;
  /** Counting starts this long after the target. */
  readonly delayMs?: number;
  /** Counting ends by itself after this long. */
  readonly durationMs?: number;

  readonly env?: Readonly<Record<string, string | undefined>>;
  /** When aborted, the command gets SIGTERM and `finished` rejects with an `AbortError`. */
  readonly signal?: AbortSignal;
  /** Called with each warning, a line without a newline. */
  readonly onNotice?: (notice: string) => void;
};

/** Whom counters are opened on. */
export type StatTarget =
  | { readonly kind: 'command'; readonly command: CommandSpec }
  | { readonly kind: 'threads'; readonly tids: readonly number[]; readonly pids: readonly number[] }
  | { readonly kind: 'system'; readonly command: CommandSpec | null };

/** What is counted on; tests hand in machines of their own. */
export type StatMachine = {
  readonly binding: NativeBinding;
  readonly sources: EventSources;
  /** CPUs that are online. */
  readonly cpus: readonly number[];
  /** Mount point of sysfs, for the scale of events. */
  readonly sysfs: string;
};
