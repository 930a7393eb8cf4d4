import { describe, expect, it } from 'vitest';
import { errorText, FailedError } from '../../../src/base/errors.ts';
import { checkMatches, formatSection } from '../../../src/cli/list/list.ts';
import type { EventListSection, ListedEvent } from '../../../src/kernel/events/event-list.ts';
import { outdent } from '../../helpers/format-tree.ts';

function event(name: string, fields: Partial<ListedEvent> = {}): ListedEvent {
  return {
    name,
    aliases: [],
    description: '',
    encoding: null,
    errorCode: '',
    isTried: true,
    needs: [],
    alsoNamed: [],
    problem: null,
    ...fields,
  };
}

function draw(section: Partial<EventListSection>, isVerbose = false): string {
  const whole = {
    kind: 'pmu',
    title: 'Events',
    source: 'sysfs',
    events: [],
    problem: null,
  } as const;
  return formatSection({ ...whole, ...section }, isVerbose).join('\n');
}

describe('what list prints', () => {
  it('list prints a table per source, then the meaning of the errnos', () => {
    const events = [
      event('cpu/cpu-cycles/', { description: 'event=0x3c', errorCode: 'ENOENT' }),
      event('hv_24x7/CPM_CYC/', { needs: ['core=…'], errorCode: null, isTried: false }),
      event('msr/tsc/', { description: 'event=0x00' }),
    ];
    expect(draw({ events })).toBe(
      outdent(`
        Events (sysfs)
        cpu/cpu-cycles/   does not open (ENOENT)  event=0x3c
        hv_24x7/CPM_CYC/  needs core=…
        msr/tsc/          opens                   event=0x00
        (ENOENT, type, config: no PMU here counts this event; perf-ts cpu shows whether there are counters, and why not)
      `),
    );
  });

  it('list marks events that were not tried, and the one tried for them', () => {
    const events = [
      event('ftrace:function', { errorCode: 'EPERM' }),
      event('sched:sched_switch'),
      event('sched:sched_wakeup', { isTried: false }),
      event('sched:gone', { problem: 'it has gone meanwhile', errorCode: null, isTried: false }),
    ];
    expect(draw({ kind: 'tracepoint', title: 'Tracepoints', source: 'kernel', events })).toBe(
      outdent(`
        Tracepoints (kernel)
        ftrace:function       does not open (EPERM)
        sched:sched_switch    opens
        sched:sched_wakeup    opens*
        sched:gone            can't be used: it has gone meanwhile
        (* as sched:sched_switch, which was tried; the kernel shows an id for what can be opened. --try-each tries them all, some 20 ms each)
        (EPERM, exclude_kernel, pid, cpu: this user may not count here; perf-ts doctor shows which setting stands in the way)
      `),
    );
  });

  it('list -v prints aliases and details of the source', () => {
    const events = [event('pfm::skl::X', { aliases: ['pfm::skl::Y'], alsoNamed: ['cpu/x/'] })];
    const lines = draw({ kind: 'libpfm', source: 'libpfm', events }, true).split('\n');
    expect(lines[1]).toBe('pfm::skl::X OR pfm::skl::Y = cpu/x/  opens');
    expect(lines[2]).toContain('PFM_PLM3 :u');
  });

  it('list escapes control characters in names of the system', () => {
    const events = [event('pmu/\u001b[2J/', { description: 'a\nb' })];
    const drawn = draw({ events, problem: 'half\u001b[31m' });
    expect(drawn).not.toContain('\u001b');
    expect(drawn).not.toContain('a\nb');
  });
});

it('a filter that nothing matches is answered with what could not be read, which may have matched', () => {
  const problem = 'tracepoints cannot be read: /sys/kernel/tracing (EACCES)';
  const tracepoints = { title: 'Tracepoints', source: null, events: [], problem };
  const hintsOf = (sections: readonly EventListSection[]): readonly string[] => {
    try {
      checkMatches('sched:*', sections);
    } catch (error) {
      if (error instanceof FailedError) return errorText(error).hints.map(String);
    }
    throw new Error('not refused');
  };
  const all = 'perf-ts list shows every event that can be named here';
  expect(hintsOf([{ ...tracepoints, kind: 'tracepoint' }])).toEqual([problem, all]);
  expect(hintsOf([{ ...tracepoints, kind: 'tracepoint', problem: null }])).toEqual([all]);
});
