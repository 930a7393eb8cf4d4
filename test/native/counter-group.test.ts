import { expect, it } from 'vitest';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/base/event-type.ts';
import { encodeAttr, newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_FORMAT } from '../../src/kernel/perf-event/constants.ts';
import { loadBinding } from '../../src/native/binding.ts';
import type { CounterGroupOptions, NativeCounterGroup } from '../../src/native/types.ts';
import { describeLiveAsUser } from '../helpers/live.ts';

const READ_FORMAT =
  PERF_FORMAT.GROUP |
  PERF_FORMAT.ID |
  PERF_FORMAT.TOTAL_TIME_ENABLED |
  PERF_FORMAT.TOTAL_TIME_RUNNING;

function attr(config: number, disabled = false): Uint8Array {
  return encodeAttr(
    newAttr({
      type: PERF_TYPE.SOFTWARE,
      config: BigInt(config),
      readFormat: READ_FORMAT,
      flags: { disabled, excludeKernel: true, excludeHv: true },
    }),
  );
}

const EVENTS = [attr(PERF_COUNT_SW.PAGE_FAULTS, true), attr(PERF_COUNT_SW.TASK_CLOCK)];

function open(options: Partial<CounterGroupOptions> = {}): NativeCounterGroup {
  const { CounterGroup } = loadBinding();
  return new CounterGroup({ events: EVENTS, pid: 0, cpu: -1, ...options });
}

describeLiveAsUser("the addon's counter group", () => {
  it("a counter group reads the kernel's read_format, with its ids", () => {
    const group = open();
    const words = new BigUint64Array(3 + 2 * 2);
    expect(group.read(words)).toBe(56);
    expect([...words]).toEqual([2n, 0n, 0n, 0n, group.ids[0], 0n, group.ids[1]]);
    group.enable();
    group.disable();
    expect(group.read(words)).toBe(56);
    expect(words[1]).toBeGreaterThan(0n);
    expect(words[5]).toBeGreaterThan(0n);
    group.close();
  });

  it('a counter group refuses memory that is too small or of another type', () => {
    const group = open();
    expect(() => group.read(new BigUint64Array(3))).toThrow(
      expect.objectContaining({ code: 'ENOSPC', operation: 'read' }),
    );
    for (const wrong of [new Float64Array(9), new Uint8Array(72), null, undefined, {}, 5]) {
      expect(() => group.read(wrong as unknown as BigUint64Array)).toThrow(TypeError);
    }
    group.close();
  });

  it('the addon’s counter group names the event that does not open', () => {
    const events = [...EVENTS, attr(9999)];
    expect(() => open({ events })).toThrow(
      expect.objectContaining({ code: 'ENOENT', operation: 'perf_event_open', eventIndex: 2 }),
    );
  });

  it('a counter group checks its options', () => {
    for (const options of [
      { events: [] },
      { events: [new Uint8Array(8)] },
      { events: 'cycles' },
      { pid: -2 },
      { pid: 0.5 },
      { cpu: '0' },
      { cgroupFd: -1 },
    ]) {
      expect(() => open(options as unknown as CounterGroupOptions)).toThrow(/expected/);
    }
  });

  it('the addon’s counter group reads no software event in user space', () => {
    const group = open();
    const reader = group.mapUserPages();
    expect(reader?.values).toHaveLength(2);
    expect(reader?.read()).toBe(false);
    group.close();
    expect(reader?.read()).toBe(false);
  });

  it('the addon’s counter group throws ERR_CLOSED after close, which may be called again', () => {
    const group = open();
    group.close();
    group.close();
    const closed = expect.objectContaining({ code: 'ERR_CLOSED' });
    for (const use of [
      () => group.enable(),
      () => group.disable(),
      () => group.read(new BigUint64Array(9)),
      () => group.mapUserPages(),
    ]) {
      expect(use).toThrow(closed);
    }
  });
});
