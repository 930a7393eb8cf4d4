import { type Chooser, chooser, element } from './dom.ts';
import { formatCount } from './format.ts';
import { type Option, shortList } from './short-list.ts';
import type { ViewState } from './state.ts';
import type { ViewContext } from './view-context.ts';

/** Which event, process, thread and CPU every view shows. */
export function createFilters({ store, recording }: ViewContext): HTMLElement {
  const { events, cpus } = recording;
  const parts = [
    new Filter(
      'Event',
      always(events.map(({ name }, value) => ({ value, label: name }))),
      ({ event }) => event,
      // A stream is one of its event's.
      (event) => store.change({ event, stream: null, zoom: [] }),
    ),
    new Filter(
      'Process',
      always([{ value: null, label: 'all processes' }, ...processesOf(recording.threads)]),
      ({ pid }) => pid,
      (pid) => store.change({ pid, thread: null, zoom: [] }),
    ),
    new Filter(
      'Thread',
      threadsByPid(recording.threads),
      ({ thread }) => thread,
      (thread) => store.change({ thread, zoom: [] }),
    ),
    new Filter(
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
class Filter<Value> {
  readonly #chooser: Chooser;
  readonly #optionsOf: (state: ViewState) => readonly Option<Value>[];
  readonly #pick: (state: ViewState) => Value;
  #options: readonly Option<Value>[] = [];
  /** Those of the options that are listed: a part where they are many. */
  #listed: readonly Option<Value>[] = [];

  constructor(
    title: string,
    optionsOf: (state: ViewState) => readonly Option<Value>[],
    pick: (state: ViewState) => Value,
    onChoose: (value: Value) => void,
  ) {
    this.#optionsOf = optionsOf;
    this.#pick = pick;
    this.#chooser = chooser(title, [], (index) => {
      const option = this.#listed[index];
      if (option !== undefined) onChoose(option.value);
    });
  }

  get root(): HTMLElement {
    return this.#chooser.root;
  }

  show(state: ViewState): void {
    const chosen = this.#pick(state);
    const options = this.#optionsOf(state);
    const isListed = this.#listed.some(({ value }) => value === chosen);
    if (options !== this.#options || !isListed) this.#list(options, chosen);
    this.#chooser.choose(this.#listed.findIndex(({ value }) => value === chosen));
  }

  #list(options: readonly Option<Value>[], chosen: Value): void {
    this.#options = options;
    this.#listed = shortList(options, chosen);
    const rest = options.length - this.#listed.length;
    const others = rest === 0 ? [] : [`${formatCount(rest)} more with fewer samples: not listed`];
    const labels = this.#listed.map(({ label }) => label);
    this.#chooser.setOptions([...labels, ...others], labels.length);
    this.root.hidden = options.filter(({ value }) => value !== null).length < 2;
  }
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
