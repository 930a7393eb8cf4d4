// The list of this machine, whatever it has: tried with the kernel, nothing left open.

import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openReason } from '../../../src/kernel/events/open-reasons.ts';
import { readEventSources } from '../../../src/system/kernel/machine-events.ts';
import { listEventsHere } from '../../../src/tools/list/list-events.ts';
import { describeLive } from '../../helpers/live.ts';

const openFds = (): number => readdirSync('/proc/self/fd').length;

describeLive('the list of this machine', () => {
  it('listEvents leaves nothing open, and probes all but tracepoints', () => {
    listEventsHere('cpu-clock');
    const before = openFds();
    const sections = listEventsHere();
    expect(openFds()).toBe(before);
    const untried = sections.flatMap(({ kind, events }) =>
      events
        .filter(({ isTried, needs, problem }) => !isTried && needs.length === 0 && problem === null)
        .map(() => kind),
    );
    expect(untried.filter((kind) => kind !== 'tracepoint')).toEqual([]);
  });

  it('listEvents has the software events, and an errno for each other', () => {
    const sections = listEventsHere();
    const software = sections.find(({ kind }) => kind === 'software');
    const opening = software?.events.filter(({ errorCode }) => errorCode === '');
    expect(opening?.map(({ name }) => name)).toContain('page-faults');
    const codes = sections.flatMap(({ events }) => events.map(({ errorCode }) => errorCode));
    for (const code of new Set(codes)) {
      if (code !== null && code !== '') expect(openReason(code), code).not.toBeNull();
    }
  });

  it('a tracepoint of each kind that is not tried opens when it is', () => {
    const [section] = listEventsHere('tracepoint');
    const inferred = section?.events.filter(
      ({ isTried, errorCode }) => !isTried && errorCode === '',
    );
    const picked = inferred?.filter((_, index) => index % 400 === 0) ?? [];
    for (const { name } of picked) {
      const [event] = listEventsHere(name, { tryEach: true }).flatMap(({ events }) =>
        events.filter((each) => each.name === name),
      );
      expect([name, event?.isTried, event?.errorCode]).toEqual([name, true, '']);
    }
  });

  it.skipIf(readEventSources().libpfm?.problem !== null)(
    'the list of this machine finds the events of libpfm, and their attrs',
    () => {
      const sections = listEventsHere('pfm');
      expect(sections.map(({ kind }) => kind)).toEqual(['libpfm']);
      for (const { name, encoding, problem } of sections.flatMap(({ events }) => events)) {
        expect(name.startsWith('pfm::')).toBe(true);
        expect(problem === null).toBe(encoding !== null);
      }
    },
  );
});
