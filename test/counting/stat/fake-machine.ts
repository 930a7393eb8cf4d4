import type { StatMachine } from '../../../src/counting/stat/stat-options.ts';
import type { EventSources } from '../../../src/kernel/events/event-sources.ts';
import { parseAttr } from '../../../src/kernel/perf-event/attr.ts';
import type {
  CommandEnd,
  CommandSpec,
  CounterGroupOptions,
  NativeBinding,
  NativeCounterGroup,
} from '../../../src/native/types.ts';

/** An event as the fake kernel is asked to open it. */
export type Asked = {
  readonly type: number;
  readonly config: bigint;
  readonly pid: number;
  readonly cpu: number;
  readonly excludeKernel: boolean;
  /** How many events its group has. */
  readonly members: number;
};

/** What a counter reads in the end. */
export type Counted = {
  readonly value: bigint;
  readonly enabled: bigint;
  readonly running: bigint;
};

/** What the fake kernel does; all of it is drawn in the test. */
export type FakeKernel = {
  /** errno name, or empty: it opens. */
  readonly refuses?: (asked: Asked) => string;
  readonly counts?: (asked: Asked) => Counted;
  /** A pinned group that is not scheduled reads as nothing. */
  readonly isUnscheduled?: (asked: Asked) => boolean;
};

const ALWAYS: Counted = { value: 100n, enabled: 1_000_000n, running: 1_000_000n };

/** A machine whose kernel does as drawn. `open` has what is open, as `name@cpu` in no order. */
export function fakeMachine(
  sources: EventSources,
  kernel: FakeKernel = {},
  { cpus = [0, 1], sysfs = '/nowhere' }: { cpus?: readonly number[]; sysfs?: string } = {},
): StatMachine & { readonly openGroups: Set<object>; readonly opened: Asked[][] } {
  const openGroups = new Set<object>();
  const opened: Asked[][] = [];
  let nextId = 1n;

  const ask = (bytes: Uint8Array, pid: number, cpu: number, members: number): Asked => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { type, config, flags } = parseAttr(view, bytes.byteLength, true);
    return { type, config, pid, cpu, members, excludeKernel: flags.excludeKernel };
  };
  const codeFor = (asked: Asked): string => kernel.refuses?.(asked) ?? '';

  class CounterGroup implements NativeCounterGroup {
    readonly ids: BigUint64Array;
    private readonly asked: readonly Asked[];

    constructor({ events, pid, cpu }: CounterGroupOptions) {
      this.asked = events.map((bytes) => ask(bytes, pid, cpu, events.length));
      this.asked.forEach((asked, eventIndex) => {
        const code = codeFor(asked);
        if (code === '') return;
        throw Object.assign(new Error(code), { code, eventIndex, operation: 'perf_event_open' });
      });
      this.ids = BigUint64Array.from(events, () => nextId++);
      openGroups.add(this);
      opened.push([...this.asked]);
    }
    enable(): void {}
    disable(): void {}
    read(into: BigUint64Array): number {
      const [leader] = this.asked as [Asked];
      if (kernel.isUnscheduled?.(leader)) return 0;
      const { enabled, running } = (kernel.counts ?? (() => ALWAYS))(leader);
      into.set([BigInt(this.asked.length), enabled, running]);
      // The kernel's order is its own: values are found by their ids.
      [...this.asked.keys()].reverse().forEach((member, slot) => {
        const { value } = (kernel.counts ?? (() => ALWAYS))(this.asked[member]);
        into.set([value, this.ids[member]], 3 + 2 * slot);
      });
      return 8 * (3 + 2 * this.asked.length);
    }
    mapUserPages(): null {
      return null;
    }
    close(): void {
      openGroups.delete(this);
    }
  }

  class HeldCommand {
    readonly pid = 4242;
    readonly spec: CommandSpec;
    constructor(spec: CommandSpec) {
      this.spec = spec;
    }
    release(onEnd: (end: CommandEnd) => void): bigint {
      queueMicrotask(() =>
        onEnd({
          failedStep: '',
          failedCode: '',
          status: 0,
          signal: 0,
          endNs: 3_000_000n,
          userUs: 700,
          systemUs: 300,
        }),
      );
      return 1_000_000n;
    }
    kill(): boolean {
      return true;
    }
    close(): void {}
  }

  const binding = {
    CounterGroup,
    HeldCommand,
    probeEvent: (bytes: Uint8Array, pid: number, cpu: number) => {
      const code = codeFor(ask(bytes, pid, cpu, 1));
      return { errno: code === '' ? 0 : 1, code, kernelAttrSize: 0 };
    },
    reapOrphans: () => 0,
    raiseFdLimit: () => ({ soft: 1024, hard: 1024 }),
  } as unknown as NativeBinding;
  return { binding, sources, cpus, sysfs, openGroups, opened };
}
