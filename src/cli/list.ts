import { printable } from '../base/printable.ts';
import { EVENT_FORMS, type EventListSection, type ListedEvent } from '../events/event-list.ts';
import { listEventsHere } from '../session/record/list-events.ts';
import { formatTable } from './render/table.ts';
import { printJson, writeOut } from './stdout.ts';

/** `perf-ts list`: events by section, and whether each one opens here. */
export async function runList(
  filter: string | undefined,
  flags: { json?: boolean; verbose?: boolean },
): Promise<void> {
  const sections = listEventsHere(filter);
  if (flags.json) {
    printJson({ schema: 'perf-ts/list@1', sections: sections.map(toJson) });
    return;
  }
  const shown = sections.filter(({ events, problem }) => events.length > 0 || problem !== null);
  for (const section of shown) writeOut(`${sectionLines(section).join('\n')}\n\n`);
  if (shown.length === 0) writeOut(`no event matches ${printable(filter ?? '')}\n\n`);
  if (filter === undefined) {
    const forms = EVENT_FORMS.map(({ form, meaning }) => [form, meaning]);
    writeOut(`${formatTable(['also', 'meaning'], forms).join('\n')}\n`);
  }
}

function sectionLines({ title, events, problem }: EventListSection): string[] {
  const rows = events.map((event) => [printable(nameOf(event)), verdictOf(event)]);
  const note = problem === null ? [] : [printable(`(${problem})`)];
  return [...formatTable([title, ''], rows), ...note];
}

function nameOf({ name, aliases }: ListedEvent): string {
  return [name, ...aliases].join(' OR ');
}

function verdictOf({ errorCode, needs }: ListedEvent): string {
  if (needs.length > 0) return `needs ${needs.join(', ')}`;
  if (errorCode === null) return 'not tried';
  return errorCode === '' ? 'opens' : `does not open (${errorCode})`;
}

function toJson({ kind, title, events, problem }: EventListSection): object {
  return {
    kind,
    title,
    problem,
    events: events.map(({ name, aliases, errorCode, needs }) => ({
      name,
      aliases,
      opens: errorCode === null ? null : errorCode === '',
      error: errorCode === '' ? null : errorCode,
      needs,
    })),
  };
}
