import { describe, expect, it } from 'vitest';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { type EventAttr, parseAttr } from '../../../src/kernel/perf-event/attr.ts';
import { eventOpener } from '../../../src/tools/list/list-events.ts';
import { AMD, INTEL } from '../../kernel/events/fake-machines.ts';

type Call = { readonly attr: EventAttr; readonly pid: number; readonly cpu: number };

/** What is said of an event by a kernel that answers each call so, and the calls. */
function tryOn(
  text: string,
  answer: (attr: EventAttr) => string,
  sources = INTEL,
): { readonly code: string; readonly calls: readonly Call[] } {
  const calls: Call[] = [];
  const opener = eventOpener(
    (bytes, pid, cpu) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const attr = parseAttr(view, bytes.byteLength, true);
      calls.push({ attr, pid, cpu });
      const code = answer(attr);
      return { errno: code === '' ? 0 : 1, code, kernelAttrSize: 0 };
    },
    [0, 1],
  );
  const [spec] = parseEvents(text, sources);
  if (spec === undefined) throw new Error(`${text} names nothing`);
  return { code: opener(spec), calls };
}

describe('an event is tried', () => {
  it('an event is probed on this process, disabled, not sampling', () => {
    const { code, calls } = tryOn('cycles', () => '');
    expect(code).toBe('');
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ pid: 0, cpu: -1 });
    expect(calls[0]?.attr).toMatchObject({ samplePeriod: 0, flags: { disabled: true } });
  });

  it('an event is probed on a CPU of its PMU', () => {
    const { calls } = tryOn('uncore_imc_0/cas_count_read/', () => '');
    expect(calls[0]).toMatchObject({ pid: -1, cpu: 0 });
  });

  it('an event is probed in user space without rights to kernel code', () => {
    const isClosed = ({ flags }: EventAttr): string => (flags.excludeKernel ? '' : 'EACCES');
    expect(tryOn('cycles', isClosed).code).toBe('');
    for (const ofKernel of ['context-switches', 'cpu-migrations']) {
      const { code, calls } = tryOn(ofKernel, isClosed);
      expect([ofKernel, code, calls.length]).toEqual([ofKernel, 'EACCES', 1]);
    }
    const isAbsent = ({ flags }: EventAttr): string => (flags.excludeKernel ? 'ENOENT' : 'EACCES');
    expect(tryOn('cycles', isAbsent).code).toBe('ENOENT');
    const cantExclude = ({ flags }: EventAttr): string =>
      flags.excludeKernel ? 'EINVAL' : 'EACCES';
    expect(tryOn('cycles', cantExclude).code).toBe('EACCES');
  });

  it('a sampling-only event is probed with an endless period', () => {
    const isSampler = ({ samplePeriod }: EventAttr): string => (samplePeriod > 0 ? '' : 'EINVAL');
    const ibs = tryOn('ibs_op//', isSampler, AMD);
    expect(ibs.code).toBe('');
    expect(ibs.calls.at(-1)?.attr.samplePeriod).toBeGreaterThanOrEqual(2 ** 40);
    const precise = tryOn('cycles:pp', isSampler);
    expect(precise.code).toBe('');
    expect(precise.calls[0]?.attr.flags.preciseIp).toBe(2);
  });
});
