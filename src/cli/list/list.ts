import { FailedError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import {
  EVENT_FORMS,
  type EventListSection,
  type ListedEvent,
} from '../../kernel/events/event-list.ts';
import { openReason } from '../../kernel/events/open-reasons.ts';
import type { AskedOf } from '../../options/option.ts';
import { listEventsHere } from '../../tools/list/list-events.ts';
import { insteadOfList } from '../habits/perf-commands.ts';
import { formatTable } from '../render/table.ts';
import { tableLook } from '../shared/colour.ts';
import { printJson, writeText } from '../shared/stdout.ts';
import type { LIST } from './list-options.ts';

type ListFlags = AskedOf<typeof LIST>;

/** `perf-ts list`: events by section, who knows them, and whether each one opens here. */
export async function runList(filter: string | undefined, flags: ListFlags): Promise<void> {
  const sections = listEventsHere(filter, { tryEach: flags.tryEach === true });
  if (flags.json) {
    printJson(listDocument(sections));
    checkMatches(filter, sections);
    return;
  }
  const isAll = filter === undefined;
  const shown = sections.filter(
    ({ events, problem }) => events.length > 0 || (problem !== null && isAll),
  );
  for (const section of shown) {
    writeText(`${formatSection(section, flags.verbose === true).join('\n')}\n\n`);
  }
  checkMatches(filter, sections);
  if (isAll) {
    const forms = EVENT_FORMS.map(({ form, meaning }) => [form, meaning]);
    writeText(
      `${formatTable(['also', 'meaning'], forms, { ...tableLook(), wraps: true }).join('\n')}\n`,
    );
  }
}

/** A filter that nothing matches is a failure, as it is of `grep`: scripts ask whether there is an event. */
export function checkMatches(
  filter: string | undefined,
  sections: readonly EventListSection[],
): void {
  if (filter === undefined || sections.some(({ events }) => events.length > 0)) return;
  const instead = insteadOfList(filter);
  if (instead !== null)
    throw new FailedError(`${printable(filter)} is a list of perf alone`, [instead]);
  const why = sections.find(({ kind }) => kind === 'asked')?.problem;
  // An event that could not be read may have matched.
  const unread = sections.flatMap(({ kind, problem }) =>
    kind === 'asked' || problem === null ? [] : [printable(problem)],
  );
  throw new FailedError(printable(why ?? `no event matches ${filter}`), [
    ...unread,
    'perf-ts list shows every event that can be named here',
  ]);
}

/** Remarks that only this source can make. */
const ONLY_HERE: Readonly<Record<EventListSection['kind'], string>> = {
  hardware: 'the kernel picks the event of this CPU; the same name on every machine',
  software: 'counted by the kernel itself; on every machine, in every container that may',
  cache: 'the kernel picks the event of this CPU; not every CPU has all',
  pmu: 'only sysfs knows which CPUs count for a socket (cpumask), scale and unit, and the terms',
  tracepoint: 'only the kernel has them; perf-ts script shows the fields of their samples',
  libpfm:
    'only libpfm knows what the numbers of this CPU count and their unit masks; its PFM_PLM0 is :k, ' +
    'PFM_PLM3 :u, PFM_PLMH :h, and a name without one counts kernel and user',
  asked: 'names no listed event, but can be used',
};

/** A section as lines: its events, then what explains them. */
export function formatSection(section: EventListSection, isVerbose: boolean): string[] {
  const { title, source, events, problem, kind } = section;
  const isDescribed = events.some(({ description }) => description !== '');
  const rows = events.map((event) => [
    printable(nameOf(event, isVerbose)),
    verdictOf(event),
    ...(isDescribed ? [printable(event.description)] : []),
  ]);
  const from = source === null ? '' : ` (${source})`;
  return [
    ...formatTable([`${title}${from}`, '', ...(isDescribed ? [''] : [])], rows, {
      ...tableLook(),
      wraps: isDescribed,
    }),
    ...(problem === null ? [] : [printable(`(${problem})`)]),
    ...untriedNote(events),
    ...reasonLines(events),
    ...(isVerbose ? [`(${ONLY_HERE[kind]})`] : []),
  ];
}

function nameOf({ name, aliases, alsoNamed }: ListedEvent, isVerbose: boolean): string {
  const same = isVerbose ? alsoNamed.map((other) => `= ${other}`) : [];
  return [[name, ...aliases].join(' OR '), ...same].join(' ');
}

function verdictOf({ errorCode, needs, problem, isTried }: ListedEvent): string {
  if (needs.length > 0) return `needs ${needs.join(', ')}`;
  if (problem !== null) return `can't be used: ${printable(problem)}`;
  if (errorCode === null) return 'not tried';
  const verdict = errorCode === '' ? 'opens' : `does not open (${errorCode})`;
  return isTried ? verdict : `${verdict}*`;
}

/** Which events stand for those that were not tried. */
function untriedNote(events: readonly ListedEvent[]): string[] {
  const isInferred = events.some(({ isTried, errorCode }) => !isTried && errorCode !== null);
  if (!isInferred) return [];
  const tried = events.filter(({ isTried, name }) => isTried && !name.startsWith('ftrace:'));
  const names = tried.slice(0, 2).map(({ name }) => printable(name));
  return [
    `(* as ${names.join(' and ')}, which was tried; the kernel shows an id for what can ` +
      'be opened. --try-each tries them all, some 20 ms each)',
  ];
}

/** Once per section: what its errnos mean. */
function reasonLines(events: readonly ListedEvent[]): string[] {
  const codes = [...new Set(events.map(({ errorCode }) => errorCode ?? ''))].sort();
  return codes.flatMap((code) => {
    const reason = openReason(code);
    return reason === null ? [] : [`(${code}, ${reason.field}: ${reason.why}; ${reason.todo})`];
  });
}

/** The document of `--json`. */
export function listDocument(sections: readonly EventListSection[]) {
  return { schema: 'perf-ts/list@2' as const, sections: sections.map(toJson) };
}

function toJson({ kind, title, source, events, problem }: EventListSection) {
  return {
    kind,
    title,
    source,
    onlyHere: ONLY_HERE[kind],
    problem,
    events: events.map((event) => {
      const { name, aliases, description, encoding, errorCode, needs, alsoNamed } = event;
      const reason = errorCode === null ? null : openReason(errorCode);
      return {
        name,
        aliases,
        description: description === '' ? null : description,
        attr: encoding === null ? null : attrToJson(encoding),
        opens: errorCode === null ? null : errorCode === '',
        tried: event.isTried,
        error: errorCode === '' ? null : errorCode,
        reason: reason === null ? null : reason.why,
        problem: event.problem,
        needs,
        alsoNamed,
      };
    }),
  };
}

/** Config values have 64 bits: as hex texts, which no reader of JSON rounds. */
function attrToJson(encoding: NonNullable<ListedEvent['encoding']>) {
  const { type, config, config1, config2 } = encoding;
  const hex = (value: bigint): string => `0x${value.toString(16)}`;
  return { type, config: hex(config), config1: hex(config1), config2: hex(config2) };
}
