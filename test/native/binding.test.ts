import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/base/event-type.ts';
import { encodeAttr, newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { loadBinding } from '../../src/native/binding.ts';
import type { NativeBinding } from '../../src/native/types.ts';
import { ruleOfProbe } from '../../src/period/probed-rule.ts';
import { describeLive } from '../helpers/live.ts';
import { softwareEvent } from './sampler-setup.ts';

/** The addon needs no permission for what is tested here, but it has to be built. */
function builtBinding(): NativeBinding | null {
  try {
    return loadBinding();
  } catch {
    return null;
  }
}

const binding = builtBinding();
const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
const isGlibc = header.glibcVersionRuntime !== undefined;

describe.skipIf(binding === null)('the addon', () => {
  it('the addon is loaded once', () => {
    expect(loadBinding()).toBe(binding);
  });

  it('the addon demangles C++ names and leaves others alone', () => {
    const names = ['_ZNSt6vectorIiSaIiEE9push_backERKi', 'main', '_Z', '', '_ZN3foo3barEv'];
    expect(binding!.demangle(names)).toEqual([
      'std::vector<int, std::allocator<int> >::push_back(int const&)',
      null,
      null,
      null,
      'foo::bar()',
    ]);
  });

  it('the addon reads one instant on two clocks', () => {
    const CLOCK_MONOTONIC = 1;
    const before = process.hrtime.bigint();
    const pair = binding!.readClockPair(CLOCK_MONOTONIC);
    const after = process.hrtime.bigint();
    expect(pair.clockNs).toBeGreaterThanOrEqual(before);
    expect(pair.clockNs).toBeLessThanOrEqual(after);
    expect(Math.abs(Number(pair.wallNs) / 1e6 - Date.now())).toBeLessThan(60_000);
  });

  it('an unknown clock is refused with EINVAL', () => {
    expect(() => binding!.readClockPair(9999)).toThrow(
      expect.objectContaining({ code: 'EINVAL', operation: 'clock_gettime' }),
    );
  });

  it.runIf(isGlibc)(
    'large blocks of malloc are mappings of their own, also after one was freed',
    () => {
      // glibc's own rule would take the rest from its heap once a block of 16 MiB was freed.
      const script = `
      const grow = (gc, binding) => {
        if (!binding.mapBlocksFrom(512 << 10)) throw new Error('mallopt refused');
        for (let i = 0; i < 4; i++) { new ArrayBuffer(16 << 20); gc(); }
        const heap = () => {
          const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) .*\\[heap\\]$/m.exec(require('node:fs').readFileSync('/proc/self/maps', 'utf8'));
          return parseInt(to, 16) - parseInt(from, 16);
        };
        const before = heap();
        const kept = Array.from({ length: 64 }, () => new ArrayBuffer(1 << 20));
        console.log(kept.length, heap() - before);
      };
      grow(globalThis.gc, require('node-gyp-build')(process.cwd()));`;
      const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '-e', script], {
        cwd: join(import.meta.dirname, '../..'),
        encoding: 'utf8',
      });
      const [kept, grown] = stdout.split(' ').map(Number);
      expect(kept, stderr).toBe(64);
      expect(grown).toBeLessThan(16 << 20);
    },
  );

  it('the addon never lowers the fd limit', () => {
    const { soft, hard } = binding!.raiseFdLimit(1);
    expect(soft).toBeLessThanOrEqual(hard);
    expect(binding!.raiseFdLimit(1)).toEqual({ soft, hard });
    expect(binding!.raiseFdLimit(soft)).toEqual({ soft, hard });
  });
});

describeLive('a probe', () => {
  it('probeEvent distinguishes an event that opens from one that does not exist', () => {
    const opens = softwareEvent(PERF_COUNT_SW.CPU_CLOCK);
    expect(binding!.probeEvent(opens, 0, -1)).toEqual({ errno: 0, code: '', kernelAttrSize: 0 });
    expect(binding!.probeEvent(softwareEvent(999), 0, -1)).toMatchObject({ code: 'ENOENT' });
  });

  it('probePeriods says of page faults that a sample reports the period that it begins', () => {
    const fields = PERF_SAMPLE.TIME | PERF_SAMPLE.PERIOD | PERF_SAMPLE.READ;
    const attr = encodeAttr(
      newAttr({
        type: PERF_TYPE.SOFTWARE,
        config: BigInt(PERF_COUNT_SW.PAGE_FAULTS),
        samplePeriod: 1000,
        sampleType: fields,
        flags: { freq: true, excludeKernel: true },
      }),
    );
    const found = ruleOfProbe(binding!.probePeriods(attr, 4, 16, 1e9, true));
    expect(found).toMatchObject({ rule: 'next', countsLag: false, majority: 1 });
    // A run ends early where the kernel writes another record into its ring.
    expect(found?.samples).toBeLessThanOrEqual(4 * 16);
  });

  it('probeEvent returns the attr size that the kernel knows', () => {
    // A later struct, with a bit set where today's kernel has no field.
    const attr = new Uint8Array(4096);
    attr.set(softwareEvent(PERF_COUNT_SW.CPU_CLOCK));
    new DataView(attr.buffer).setUint32(4, attr.length, true);
    attr[attr.length - 1] = 1;
    const probe = binding!.probeEvent(attr, 0, -1);
    expect(probe.code).toBe('E2BIG');
    expect(probe.kernelAttrSize).toBeGreaterThanOrEqual(112);
    expect(probe.kernelAttrSize).toBeLessThan(4096);
  });
});
