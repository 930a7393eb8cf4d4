import type { EventSources } from '../../kernel/events/event-sources.ts';
import type { CommandSpec, NativeBinding } from '../../native/types.ts';

/** Whom counters are opened on. */
export type StatTarget =
  | { readonly kind: 'command'; readonly command: CommandSpec }
  | { readonly kind: 'threads'; readonly tids: readonly number[]; readonly pids: readonly number[] }
  | { readonly kind: 'system'; readonly command: CommandSpec | null };

/** The machine on which is counted; tests hand in their own. */
export type StatMachine = {
  readonly binding: NativeBinding;
  readonly sources: EventSources;
  /** CPUs that are online. */
  readonly cpus: readonly number[];
  /** Mount point of sysfs, for the scale of events. */
  readonly sysfs: string;
};
