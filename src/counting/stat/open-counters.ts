import { FailedError, failedBy } from '../../base/errors.ts';
import { eventDomain } from '../../kernel/events/event-role.ts';
import type { EventSources } from '../../kernel/events/event-sources.ts';
import { encodeAttr } from '../../kernel/perf-event/attr.ts';
import type { NativeBinding, NativeCounterGroup, NativeError } from '../../native/types.ts';
import { hasUserSpacePart, nameInUserSpace } from '../../system/kernel/event-name.ts';
import { onlineCpus } from '../../system/kernel/online-cpus.ts';
import { isRefused } from '../../system/kernel/open-refusal.ts';
import { type CounterMode, counterAttr } from '../../system/kernel/spec-attr.ts';
import { explainGoneBeforeStart } from '../../system/launch/start-failure.ts';
import { UNSETTLED } from '../../system/processes/attached.ts';
import type { CountedEvent, CountedGroup } from './counted-group.ts';
import { Counters, type Instance, type OpenGroup, type Refused } from './counters.ts';
import { type Place, type PlaceContext, placesOf } from './places.ts';
import { refusalReason } from './refusal.ts';
import type { StatTarget } from './stat-options.ts';

export type CounterContext = PlaceContext & {
  readonly binding: NativeBinding;
  readonly sources: EventSources;
  readonly inherit: boolean;
  /** A command's counters are enabled by its exec, unless something else is to enable them. */
  readonly enableOnExec: boolean;
  /** Open directories of the control groups. */
  readonly cgroupFds: readonly number[];
  readonly notify: (notice: string) => void;
};

/**
 * Opens every group at every place. What does not open is left out with its reason, and the rest of
 * its group still counts:
 *
 *   EACCES, EPERM                   user code only, and the name says so
 *   does not open by itself either  left out
 *   opens alone, not in the group   a weak group is broken up, another one is left out
 *
 * Throws FailedError where a limit or the target itself is in the way; nothing stays open then.
 */
export function openCounters(groups: readonly CountedGroup[], context: CounterContext): Counters {
  const opened: OpenGroup[] = [];
  const refused: Refused[] = [];
  const waiting = [...groups];
  try {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const places = placesOf(group, context);
      if (typeof places === 'string') {
        refused.push(...group.events.map((event) => ({ event, code: null, reason: places })));
        continue;
      }
      const outcome = openEverywhere(group, places, context);
      if ('opened' in outcome) opened.push(outcome.opened);
      refused.push(...outcome.refused);
      if ('instead' in outcome) waiting.unshift(...outcome.instead);
    }
  } catch (error) {
    new Counters(opened, []).close();
    throw error;
  }
  reportUserOnly(opened, context);
  return new Counters(opened, refused);
}

function reportUserOnly(opened: readonly OpenGroup[], { notify }: CounterContext): void {
  const narrowed = opened
    .flatMap(({ events }) => events)
    .filter(({ spec, domain }) => domain !== eventDomain(spec.exclude));
  if (narrowed.length === 0) return;
  const names = narrowed.map(({ name }) => name).join(', ');
  notify(
    `counting user code only (${names}): the kernel allows this user no more (help: perf-ts doctor)`,
  );
}

type Outcome =
  | { readonly opened: OpenGroup; readonly refused: readonly Refused[] }
  | { readonly instead: readonly CountedGroup[]; readonly refused: readonly Refused[] };

/** The first place that opens decides what of the group is counted. */
function openEverywhere(
  group: CountedGroup,
  places: readonly Place[],
  context: CounterContext,
): Outcome {
  const opening = new GroupOpening(group, context);
  try {
    if (context.target.kind === 'threads' && places.every(({ tid }) => tid > 0)) {
      opening.attach(context.target);
    } else {
      for (const place of places) opening.open(place, places.length > 1);
    }
  } catch (error) {
    opening.close();
    if (error instanceof NotHere) return error.outcome;
    throw error;
  }
  return opening.finish();
}

/** The group does not open as it is. */
class NotHere {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    this.outcome = outcome;
  }
}

/** One group on its way to all its places. */
class GroupOpening {
  readonly #group: CountedGroup;
  readonly #context: CounterContext;
  #instances: Instance[] = [];
  #userOnly = false;

  constructor(group: CountedGroup, context: CounterContext) {
    this.#group = group;
    this.#context = context;
  }

  /** All threads of what runs, also those that it starts meanwhile. */
  attach({ tids, pids }: Extract<StatTarget, { kind: 'threads' }>): void {
    const { binding, inherit, notify } = this.#context;
    const isComplete = binding.attachThreads(
      { tids, pids, cpus: onlineCpus(), inherits: inherit },
      (tid) => this.open({ tid, cpu: -1, cgroup: -1 }, true),
      (tid) => this.#close(tid),
    );
    if (!isComplete) notify(UNSETTLED);
  }

  /** False: nothing to count there (any more), which `mayBeGone` allows. */
  open(place: Place, mayBeGone: boolean): boolean {
    const { enableOnExec, inherit } = this.#context;
    const enabledByExec = enableOnExec && place.tid > 0;
    for (;;) {
      const exclude = { kernel: this.#userOnly, hv: this.#userOnly };
      const mode = { enableOnExec: enabledByExec, inherit: inherit && place.tid >= 0, exclude };
      try {
        const group = openAt(this.#group, place, mode, this.#context);
        this.#instances.push({ group, place, enabledByExec });
        return true;
      } catch (error) {
        const { code, eventIndex } = error as NativeError;
        if (typeof code !== 'string') throw error;
        const isFirst = this.#instances.length === 0;
        // A thread that has ended, a CPU that went off.
        if (mayBeGone && (code === 'ESRCH' || (code === 'ENODEV' && !isFirst))) return false;
        const { events } = this.#group;
        const failing = events[eventIndex] ?? events[0];
        if (
          isRefused(code) &&
          !this.#userOnly &&
          isFirst &&
          this.#group.events.every(({ spec }) => hasUserSpacePart(spec))
        ) {
          this.#userOnly = true;
          continue;
        }
        if (code === 'ESRCH' && this.#context.target.kind === 'command') {
          throw explainGoneBeforeStart();
        }
        throwIfLimit(error as NativeError, failing, place);
        throw new NotHere(leaveOut(this.#group, failing, { code, place, mode }, this.#context));
      }
    }
  }

  finish(): Outcome {
    if (this.#instances.length === 0) {
      throw new FailedError('none of the threads to count is there any more');
    }
    const { events } = this.#group;
    const opened = this.#userOnly ? events.map(inUserSpace) : events;
    return { opened: { events: opened, instances: this.#instances }, refused: [] };
  }

  close(): void {
    for (const { group } of this.#instances) group.close();
    this.#instances = [];
  }

  #close(tid: number): void {
    const isOfIt = ({ place }: Instance): boolean => place.tid === tid;
    for (const { group } of this.#instances.filter(isOfIt)) group.close();
    this.#instances = this.#instances.filter((instance) => !isOfIt(instance));
  }
}

function openAt(
  { events }: CountedGroup,
  place: Place,
  mode: CounterMode,
  { binding, cgroupFds }: CounterContext,
): NativeCounterGroup {
  const cgroupFd = cgroupFds[place.cgroup];
  return new binding.CounterGroup({
    events: events.map((event, i) => encodeAttr(counterAttr(event.spec, i === 0, mode))),
    pid: place.tid,
    cpu: place.cpu,
    ...(cgroupFd !== undefined && { cgroupFd }),
  });
}

type Failure = { readonly code: string; readonly place: Place; readonly mode: CounterMode };

/** The group without the event that failed, or in pieces. */
function leaveOut(
  group: CountedGroup,
  failing: CountedEvent,
  { code, place, mode }: Failure,
  { binding, sources }: CounterContext,
): Outcome {
  const single = encodeAttr(counterAttr(failing.spec, true, { ...mode, enableOnExec: false }));
  const alone = binding.probeEvent(single, place.tid, place.cpu);
  if (group.events.length === 1 || alone.errno !== 0) {
    const refusal = alone.errno === 0 ? code : alone.code;
    const reason = refusalReason(failing.spec, refusal, sources);
    const rest = group.events.filter((event) => event !== failing);
    return {
      instead: rest.length > 0 ? [{ ...group, events: rest }] : [],
      refused: [{ event: failing, code: refusal, reason }],
    };
  }
  if (group.weak) {
    return { instead: group.events.map((event) => ({ events: [event], weak: true })), refused: [] };
  }
  const names = group.events.map(({ name }) => name).join(',');
  const reason = `the group does not fit the PMU (${code}); '{${names}}:W' lets it be broken up`;
  return { instead: [], refused: group.events.map((event) => ({ event, code, reason })) };
}

function throwIfLimit({ code, message }: NativeError, event: CountedEvent, place: Place): void {
  if (code === 'ESRCH') throw failedBy(code, `no such thread: ${place.tid}`);
  if (code === 'EMFILE' || code === 'ENFILE') {
    throw failedBy(code, `${event.name}: too many open files: ${message}`, [
      'raise the limit: ulimit -n 65536 (RLIMIT_NOFILE), or count fewer events or CPUs',
    ]);
  }
}

function inUserSpace(event: CountedEvent): CountedEvent {
  return { ...event, name: nameInUserSpace(event.spec), domain: 'u' };
}
