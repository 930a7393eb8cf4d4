import { askLatest } from '../ask.ts';
import { element, switcher } from '../dom.ts';
import { formatShare } from '../format.ts';
import { renderNoSamples } from '../no-samples.ts';
import { selectionOf } from '../selection.ts';
import type { ViewState } from '../state.ts';
import type { TabView } from '../tab-view.ts';
import type { ViewContext } from '../view-context.ts';
import type { SourceResult, TableParams } from '../worker/messages.ts';
import { createAssemblyView } from './assembly-view.ts';
import { createCodeTexts } from './code-texts.ts';
import { describeSkid } from './skid.ts';
import { renderLines } from './source-table.ts';
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
export function createSourceView({ store, ...context }: ViewContext): TabView {
  const { ask, recording, file } = context;
  const title = element('h2');
  const where = element('span', 'beside');
  const skid = element('p', 'pruned');
  const notes = element('p', 'pruned');
  const box = element('div', 'table-box');
  const switches = element('div', 'code-switches');
  const root = element(
    'div',
    'tables',
    element('div', 'source-head', title, where, switches),
    skid,
    notes,
    box,
  );
  const texts = createCodeTexts(file);
  const assembly = createAssemblyView({ store, ...context }, texts, { title, where, notes, box });
  let wanted = 0;
  let drawn: { readonly func: number; readonly result: SourceResult } | null = null;

  const askSource = askLatest(
    ask,
    'source',
    (result) => {
      const { func, code } = store.get();
      if (func === null || code !== 'source') return;
      drawn = { func, result };
      void draw(result);
    },
    fail,
  );

  function show(state: ViewState): void {
    wanted++;
    const event = recording.events[state.event];
    const place = state.code === 'source' ? 'line' : 'instruction';
    skid.textContent = event === undefined ? '' : describeSkid(event, place);
    drawSwitches(state);
    assembly.stop();
    if (state.func === null) {
      title.textContent = '';
      where.textContent = '';
      notes.textContent = '';
      box.replaceChildren();
      chooseHottest(state).catch((problem: Error) => fail(problem.message));
      return;
    }
    if (state.code !== 'source') {
      assembly.show(state, state.func);
      return;
    }
    askSource({ ...selectionOf(state), func: state.func });
    // What was drawn before the assembly was is not asked for again.
    if (drawn?.func === state.func) void draw(drawn.result);
  }

  /** Where nobody has chosen a function it is the one in which most was spent. */
  async function chooseHottest(state: ViewState): Promise<void> {
    const own = wanted;
    const { rows } = await ask('table', { ...selectionOf(state), ...HOTTEST });
    if (own !== wanted) return;
    const [hottest] = rows;
    if (hottest !== undefined && hottest.index >= 0) {
      store.change({ func: hottest.index }, 'adjust');
      return;
    }
    title.textContent = 'No function';
    box.replaceChildren(renderNoSamples({ store, ...context }, state));
  }

  function drawSwitches({ code, codeBytes, func }: ViewState): void {
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
    const bytes = element('button', '', 'Bytes');
    bytes.type = 'button';
    bytes.title = 'Show the bytes of instructions';
    bytes.setAttribute('aria-pressed', String(codeBytes));
    bytes.addEventListener('click', () => store.change({ codeBytes: !codeBytes }, 'adjust'));
    // Replacing what is pressed would take the focus away.
    const focused = switches.contains(document.activeElement) ? document.activeElement : null;
    const label = focused?.textContent;
    switches.replaceChildren(
      ...(func === null ? [] : [form, ...(code === 'source' ? [] : [bytes])]),
    );
    if (label === undefined) return;
    const again = [...switches.querySelectorAll('button')].find(
      (button) => button.textContent === label,
    );
    again?.focus();
  }

  function fail(problem: string): void {
    box.replaceChildren(element('p', 'problem', problem));
  }

  async function draw(result: SourceResult): Promise<void> {
    const own = wanted;
    title.textContent = result.name ?? '';
    where.textContent =
      result.file === null
        ? ''
        : result.file + (result.firstLine > 0 ? `:${result.firstLine}` : '');
    const parts: string[] = [];
    if (result.withoutLine > 0) {
      const share = result.weight === 0 ? 0 : result.withoutLine / result.weight;
      parts.push(`${formatShare(share)} of all is in this function at lines that are not known.`);
      if (result.isJit) parts.push('A jitdump (node --perf-prof) has the lines of JIT code.');
    }
    if (result.file === null) {
      parts.unshift(
        'No line of this function is known: its code has no debug information (native code: build ' +
          'with -g), or the recording has none of the addresses behind it. “Assembly” shows its ' +
          'instructions.',
      );
      notes.textContent = parts.join(' ');
      box.replaceChildren();
      return;
    }
    const text = await texts.source(result.fileIndex);
    if (own !== wanted) return;
    if (text instanceof Error) parts.unshift(text.message);
    notes.textContent = parts.join(' ');
    box.replaceChildren(renderLines(result, text instanceof Error ? null : text));
    const hottest = box.querySelector('.is-hottest') ?? box.querySelector('.is-first');
    hottest?.scrollIntoView({ block: 'center' });
  }

  return {
    root,
    show,
    keys: [
      {
        key: 'a',
        does: 'source, assembly, both',
        run: () => {
          const { code } = store.get();
          const next = { source: 'assembly', assembly: 'both', both: 'source' } as const;
          store.change({ code: next[code] });
        },
      },
    ],
  };
}
