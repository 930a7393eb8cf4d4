import { describe, expect, it } from 'vitest';
import { atCommand } from '../../../src/base/errors.ts';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { CLOCK_IDS } from '../../../src/kernel/perf-event/clock-ids.ts';
import { PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { readKernelSettings } from '../../../src/system/kernel/kernel-settings.ts';
import { readEventSources } from '../../../src/system/kernel/machine-events.ts';
import { explainUnopenable } from '../../../src/system/kernel/open-refusal.ts';

/** What the user is told of an event that the kernel refuses with `code`, as the hints. */
function hintsOf(text: string, code: string): readonly string[] {
  const [spec] = parseEvents(text, readEventSources());
  if (spec === undefined) throw new Error(`${text} names nothing`);
  return explainUnopenable({ spec, attr: newAttr(), code }, readKernelSettings(), false).hints;
}

describe('a clock that is read too slowly for the event', () => {
  const explain = (clockid: number) => {
    const [spec] = parseEvents('page-faults', readEventSources());
    if (spec === undefined) throw new Error('it names nothing');
    const attr = newAttr({ clockid, flags: { useClockid: true } });
    return explainUnopenable({ spec, attr, code: 'EINVAL' }, readKernelSettings(), false).message;
  };
  it('a clock too slow for the event is named', () => {
    expect(explain(CLOCK_IDS.boottime)).toMatch(/no times of boottime for it \(EINVAL\)/);
    expect(explain(CLOCK_IDS.monotonic)).toMatch(/finds its settings invalid/);
  });
});

describe('an event that the kernel refuses', () => {
  it('the refusal of an event names what a later kernel has, with its version and this one', () => {
    const [spec] = parseEvents('page-faults', readEventSources());
    const attr = newAttr({ sampleType: PERF_SAMPLE.CODE_PAGE_SIZE });
    const explain = (kernel: string) => {
      const refusal = { spec: spec!, attr, code: 'EINVAL' };
      return explainUnopenable(refusal, readKernelSettings(), false, kernel);
    };
    const refused = explain('5.10.0-32-cloud-amd64');
    expect(refused.message).toContain('codePageSizes needs Linux 5.11');
    const { message, hints } = atCommand(refused);
    expect(message).toBe(
      'page-faults: cannot be opened: --code-page-size needs Linux 5.11, and this is ' +
        '5.10.0-32-cloud-amd64 (EINVAL)',
    );
    expect(hints).toEqual(['leave out --code-page-size, or boot Linux 5.11 or later']);
    expect(explain('6.1.0').message).toMatch(/finds its settings invalid/);
  });

  it.each(['ENOENT', 'EINVAL', 'EOPNOTSUPP'])('%s: a requested precision is mentioned', (code) => {
    const plain = hintsOf('r1a8', code);
    const precise = hintsOf('r1a8:ppp', code);
    expect(plain).toEqual(['perf-ts list shows what opens here']);
    expect(precise.slice(-1)).toEqual(plain);
    expect(precise.slice(0, -1).join()).toMatch(/precise|:p/);
  });
});
