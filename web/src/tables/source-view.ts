import { askLatest } from '../ask/ask.ts';
import { renderNoSamples } from '../controls/no-samples.ts';
import { element, pushButton, replaceKeepingFocus, switcher } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import type { TabView } from '../shell/tab-view.ts';
import { selectionOf } from '../state/selection.ts';
import type { ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { TableParams, TableResult } from '../worker/messages/messages.ts';
import { AssemblyListing } from './assembly-listing.ts';
import { CodePanel } from './code-panel.ts';
import { CodeTexts } from './code-texts.ts';
import { describeSkid } from './skid.ts';
import { SourceListing } from './source-listing.ts';
import './tables.css';

const HOTTEST = {
  by: 'function',
  sort: 'self',
  descending: true,
  filter: '',
  intervals: false,
  first: 0,
  count: 1,
} as const satisfies Partial<TableParams>;

/** A function's source with self and total per line, its machine code per instruction, or both. */
export class SourceView implements TabView {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #switches = element('div', 'code-switches');
  readonly #skid = element('p', 'pruned');
  readonly #panel = new CodePanel();
  readonly #lines: SourceListing;
  readonly #assembly: AssemblyListing;
  readonly #askHottest: (params: TableParams | null) => boolean;

  constructor(context: ViewContext) {
    const { ask, file } = context;
    const { title, where, figures, notes, root } = this.#panel;
    this.#context = context;
    this.root = element(
      'div',
      'tables',
      element('div', 'source-head', title, where, figures, this.#switches),
      notes,
      root,
      this.#skid,
    );
    const texts = new CodeTexts(file);
    context.onReplaced(() => texts.forgetAssemblies());
    this.#lines = new SourceListing(context, this.#panel, texts);
    this.#assembly = new AssemblyListing(context, this.#panel, texts);
    this.#askHottest = askLatest(
      ask,
      'table',
      (table) => this.#choose(table),
      (problem) => this.#panel.fail(problem),
    );
  }

  show(state: ViewState): void {
    const { store, recording } = this.#context;
    const event = recording.events[state.event];
    const place = state.code === 'source' ? 'line' : 'instruction';
    // Text of another tool does not say how its event was sampled.
    const isKnown = event !== undefined && recording.areLossesKnown;
    this.#skid.textContent = isKnown ? describeSkid(event, place) : '';
    replaceKeepingFocus(this.#switches, ...renderSwitches(store, state));
    this.#panel.stop();
    const { func, code, sourceFile } = state;
    // The function that most was spent in, until somebody has chosen one, or a file.
    const isOpen = func === null && sourceFile === null;
    const isNew = this.#askHottest(isOpen ? { ...selectionOf(state), ...HOTTEST } : null);
    if (isOpen) {
      if (isNew) this.#panel.clear();
    } else if (func === null || code === 'source') this.#lines.show(state);
    else void this.#assembly.show(func);
  }

  get keys(): readonly KeyBinding[] {
    const { store } = this.#context;
    const next = { source: 'assembly', assembly: 'both', both: 'source' } as const;
    return [
      {
        key: 'a',
        does: 'source, assembly, both',
        run: () => store.change({ code: next[store.get().code] }),
      },
      { key: 'n', does: 'next hot line', run: () => this.#panel.step(1) },
      { key: 'p', does: 'previous hot line', run: () => this.#panel.step(-1) },
    ];
  }

  #choose({ rows: [hottest] }: TableResult): void {
    const { store } = this.#context;
    if (hottest !== undefined && hottest.index >= 0) {
      store.change({ func: hottest.index }, 'adjust');
      return;
    }
    const content = [renderNoSamples(this.#context, store.get())];
    void this.#panel.draw({ title: 'No function', where: '', figures: '', notes: [], content });
  }
}

function renderSwitches(store: Store, { code, codeBytes, func }: ViewState): HTMLElement[] {
  if (func === null) return [];
  const form = switcher(
    'What of the function',
    [
      { value: 'source', label: 'Source', hint: 'Lines of the source file' },
      { value: 'assembly', label: 'Assembly', hint: 'Machine code' },
      { value: 'both', label: 'Both', hint: 'Machine code below the lines that it comes from' },
    ],
    code,
    (chosen) => store.change({ code: chosen }),
  );
  if (code === 'source') return [form];
  const bytes = pushButton('', 'Bytes', () => store.change({ codeBytes: !codeBytes }, 'adjust'));
  bytes.title = 'Show the bytes of instructions';
  bytes.dataset.key = 'bytes';
  bytes.setAttribute('aria-pressed', String(codeBytes));
  return [form, bytes];
}
