import { formatCount, formatWeight } from '../ask/format.ts';
import { type Chooser, chooser, element } from '../dom/dom.ts';
import { type Option, shortList } from '../dom/short-list.ts';
import type { OpenResult } from '../worker/messages/messages.ts';
import type { ViewState } from './state.ts';
import type { ViewContext } from './view-context.ts';

/** Which event every view shows; and which process, thread, CPU and turns of event loops. */
export function createFilters(context: ViewContext): {
  readonly event: HTMLElement;
  readonly others: HTMLElement;
} {
  const { store } = context;
  const ofLatest = <Value>(list: (recording: OpenResult) => readonly Option<Value>[]) =>
    rememberLast(() => context.recording, list);
  const parts = [
    new Filter(
      'Event',
      ofLatest(({ events }) => events.map(({ name }, value) => ({ value, label: name }))),
      ({ event }) => event,
      // A stream is one of its event's.
      (event) => store.change({ event, stream: null, zoom: [] }),
    ),
    new Filter(
      'Process',
      ofLatest(({ threads }) => [{ value: null, label: 'all processes' }, ...processesOf(threads)]),
      ({ pid }) => pid,
      (pid) => store.change({ pid, threads: [], zoom: [] }),
    ),
    new Filter(
      'Thread',
      threadsByPid(context),
      ({ threads }) => (threads.length > 1 ? SEVERAL : (threads[0] ?? null)),
      (thread) => {
        // To choose several again changes nothing.
        if (thread !== SEVERAL)
          store.change({ threads: thread === null ? [] : [thread], zoom: [] });
      },
    ),
    new Filter(
      'CPU',
      ofLatest(({ cpus }) => [
        { value: null, label: 'all CPUs' },
        ...cpus.map((value) => ({ value, label: `CPU ${value}` })),
      ]),
      ({ cpu }) => cpu,
      (cpu) => store.change({ cpu, zoom: [] }),
    ),
    new Filter(
      'Turns',
      ofLatest(({ turnsOver }) => [
        { value: null, label: 'in turns of event loops or not' },
        ...turnsOver.map(({ ms, turns }) => ({
          value: ms,
          label: `in turns over ${ms} ms: ${formatCount(turns)} turns`,
        })),
      ]),
      ({ inTurnsOver }) => inTurnsOver,
      (inTurnsOver) => store.change({ inTurnsOver, zoom: [] }),
    ),
  ];
  const show = (state: ViewState) => {
    for (const part of parts) part.show(state);
  };
  store.subscribe(show);
  show(store.get());
  const [event, ...others] = parts.map(({ root }) => root);
  return { event, others: element('div', 'filters', ...others) };
}

/** A chooser with the state's value chosen. One with a single choice beside "all" is not shown. */
class Filter<Value> {
  readonly #chooser: Chooser;
  readonly #optionsOf: (state: ViewState) => readonly Option<Value>[];
  readonly #pick: (state: ViewState) => Value;
  #options: readonly Option<Value>[] = [];
  /** The options that are listed: a part where they are many. */
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

/** A getter of what `make` makes of the latest value, made once for each. */
function rememberLast<Value, Made>(latest: () => Value, make: (value: Value) => Made): () => Made {
  let last: { readonly value: Value; readonly made: Made } | null = null;
  return () => {
    const value = latest();
    if (last?.value !== value) last = { value, made: make(value) };
    return last.made;
  };
}

/** Stands for the threads that were chosen, where they are more than one: the tracks choose them. */
const SEVERAL = -1;

/** The threads of the chosen process, or all. */
function threadsByPid(
  context: ViewContext,
): (state: ViewState) => readonly Option<number | null>[] {
  const knownOf = rememberLast(
    () => context.recording,
    () => new Map<string, readonly Option<number | null>[]>(),
  );
  return ({ pid, threads: { length } }) => {
    const known = knownOf();
    const key = `${pid} ${length > 1 ? length : ''}`;
    const options = known.get(key) ?? [
      { value: null, label: pid === null ? 'all threads' : 'all its threads' },
      ...(length > 1 ? [{ value: SEVERAL, label: `${length} threads` }] : []),
      ...threadsOf(context.recording.threads, pid),
    ];
    known.set(key, options);
    return options;
  };
}

type Threads = OpenResult['threads'];

function threadsOf(threads: Threads, of: number | null): Option<number>[] {
  return threads
    .map(({ name, pid, tid, samples }, value) => ({
      value,
      samples: of === null || pid === of ? samples : 0,
      label: `${tid < 0 ? name : `${name} (tid ${tid})`}: ${formatWeight(samples, 'samples')}`,
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
      label: `${comm} (pid ${value}): ${formatWeight(samples, 'samples')}`,
    }));
}
