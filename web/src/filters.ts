import { type Chooser, chooser, element } from './dom.ts';
import { formatCount } from './format.ts';
import { type Option, shortList } from './short-list.ts';
import type { ViewState } from './state.ts';
import type { ViewContext } from './view-context.ts';

/** Which event, process, thread and CPU every view shows. */
export function createFilters({ store, recording }: ViewContext): HTMLElement {
  const { events, cpus } = recording;
  const parts = [
    filter(
      'Event',
      always(events.map(({ name }, value) => ({ value, label: name }))),
      ({ event }) => event,
      // A stream is one of its event's.
      (event) => store.change({ event, stream: null, zoom: [] }),
    ),
    filter(
      'Process',
      always([{ value: null, label: 'all processes' }, ...processesOf(recording.threads)]),
      ({ pid }) => pid,
      (pid) => store.change({ pid, thread: null, zoom: [] }),
    ),
    filter(
      'Thread',
      threadsByPid(recording.threads),
      ({ thread }) => thread,
      (thread) => store.change({ thread, zoom: [] }),
    ),
    filter(
      'CPU',
      always([
        { value: null, label: 'all CPUs' },
        ...cpus.map((value) => ({ value, label: `CPU ${value}` })),
      ]),
      ({ cpu }) => cpu,
      (cpu) => store.change({ cpu, zoom: [] }),
    ),
  ];
  const show = (state: ViewState) => {
    for (const part of parts) part.show(state);
  };
  store.subscribe(show);
  show(store.get());
  return element('div', 'filters', ...parts.map(({ root }) => root));
}

/** A chooser with the state's value chosen. One with a single choice beside "all" is not shown. */
function filter<Value>(
  title: string,
  optionsOf: (state: ViewState) => readonly Option<Value>[],
  pick: (state: ViewState) => Value,
  onChoose: (value: Value) => void,
): { readonly root: HTMLElement; show(state: ViewState): void } {
  const list: Chooser = chooser(title, [], (index) => {
    const option = shown[index];
    if (option !== undefined) onChoose(option.value);
  });
  let options: readonly Option<Value>[] = [];
  let shown: readonly Option<Value>[] = [];
  function setOptions(chosen: Value): void {
    const choices = options.filter(({ value }) => value !== null).length;
    shown = shortList(options, chosen);
    const rest = options.length - shown.length;
    const others = rest === 0 ? [] : [`${formatCount(rest)} more with fewer samples: not listed`];
    list.setOptions([...shown.map(({ label }) => label), ...others], shown.length);
    list.root.hidden = choices < 2;
  }
  return {
    root: list.root,
    show(state) {
      const chosen = pick(state);
      const isOther = options !== optionsOf(state);
      options = optionsOf(state);
      if (isOther || !shown.some(({ value }) => value === chosen)) setOptions(chosen);
      list.choose(shown.findIndex(({ value }) => value === chosen));
    },
  };
}

const always =
  <Value>(value: Value) =>
  () =>
    value;

/** The threads of the chosen process, or all. */
function threadsByPid(threads: Threads): (state: ViewState) => readonly Option<number | null>[] {
  const known = new Map<number | null, readonly Option<number | null>[]>();
  return ({ pid }) => {
    const options = known.get(pid) ?? [
      { value: null, label: pid === null ? 'all threads' : 'all its threads' },
      ...threadsOf(threads, pid),
    ];
    known.set(pid, options);
    return options;
  };
}

type Threads = ViewContext['recording']['threads'];

function threadsOf(threads: Threads, of: number | null): Option<number>[] {
  return threads
    .map(({ comm, pid, tid, samples }, value) => ({
      value,
      samples: of === null || pid === of ? samples : 0,
      label: `${comm} (tid ${tid}): ${formatCount(samples)} samples`,
    }))
    .filter(({ samples }) => samples > 0)
    .sort((a, b) => b.samples - a.samples || a.value - b.value);
}

/** Named by the first of its threads that was seen. */
function processesOf(threads: Threads): Option<number>[] {
  const byPid = new Map<number, { comm: string; samples: number }>();
  for (const { pid, tid, comm, samples } of threads) {
    const own = byPid.get(pid) ?? { comm, samples: 0 };
    own.samples += samples;
    if (tid === pid) own.comm = comm;
    byPid.set(pid, own);
  }
  return [...byPid]
    .filter(([, { samples }]) => samples > 0)
    .sort(([, a], [, b]) => b.samples - a.samples)
    .map(([value, { comm, samples }]) => ({
      value,
      label: `${comm} (pid ${value}): ${formatCount(samples)} samples`,
    }));
}
