import type { CodePart, PageAssembly } from '../../../src/code/disassembly/types.ts';
import { askLatest } from '../ask.ts';
import { element } from '../dom.ts';
import { formatCount, formatShare } from '../format.ts';
import { selectionOf } from '../selection.ts';
import type { ViewState } from '../state.ts';
import type { ViewContext } from '../view-context.ts';
import type { AssemblyResult } from '../worker/messages.ts';
import { renderAssembly } from './assembly-table.ts';
import type { CodeTexts } from './code-texts.ts';
import './assembly.css';

/** What the tab Source shows of a function's machine code. */
export type AssemblyView = {
  /** Asks for it and draws it when it has come. */
  show(state: ViewState, func: number): void;
  /** Draws no more of what was asked for. */
  stop(): void;
};

/** Where the tab has its parts. */
export type CodeParts = {
  readonly title: HTMLElement;
  readonly where: HTMLElement;
  readonly notes: HTMLElement;
  readonly box: HTMLElement;
};

type Shown = {
  readonly func: number;
  readonly assembly: PageAssembly;
  readonly result: AssemblyResult;
};

export function createAssemblyView(
  { ask, store }: ViewContext,
  texts: CodeTexts,
  { title, where, notes, box }: CodeParts,
): AssemblyView {
  /** Counts what was asked for: only the last is drawn. */
  let wanted = 0;
  let got: PageAssembly | null = null;
  let gotFunc = -1;
  let shown: Shown | null = null;

  const askWeights = askLatest(
    ask,
    'assembly',
    (result) => {
      if (got === null || store.get().func !== gotFunc) return;
      shown = { func: gotFunc, assembly: got, result };
      void draw(shown);
    },
    fail,
  );

  function fail(problem: string): void {
    box.replaceChildren(element('p', 'problem', problem));
  }

  async function show(state: ViewState, func: number): Promise<void> {
    const own = ++wanted;
    if (gotFunc !== func) box.replaceChildren(element('p', 'pruned', 'Disassembling …'));
    const assembly = await texts.assembly(func);
    if (own !== wanted) return;
    if (assembly instanceof Error) {
      notes.textContent = '';
      fail(assembly.message);
      return;
    }
    got = assembly;
    gotFunc = func;
    const { parts } = assembly;
    const bases = basesOf(parts);
    askWeights({
      ...selectionOf(state),
      func,
      frames: parts.flatMap(({ frames }) => frames),
      instructions: parts.flatMap(({ rowOfFrame }, part) =>
        rowOfFrame.map((row) => (row === -1 ? -1 : row + bases[part])),
      ),
      count: bases[parts.length],
    });
    // The same weights in another form are not asked for again.
    if (shown?.func === func) await draw(shown);
  }

  async function draw({ assembly, result }: Shown): Promise<void> {
    const own = wanted;
    const { code, codeBytes } = store.get();
    const { parts } = assembly;
    const sources = code === 'both' ? await readSources(assembly, texts) : null;
    if (own !== wanted) return;
    title.textContent = result.name;
    where.textContent = parts[0]?.dso ?? '';
    notes.textContent = describe(assembly, result);
    const funcs = new Map(assembly.funcs.map(({ name, func }) => [name, func]));
    const showFunc = (func: number) => store.change({ func });
    const bases = basesOf(parts);
    const heat = result.self.map((self, at) => self + result.inlined[at]);
    const most = heat.reduce((max, value) => Math.max(max, value), 0);
    const weightOf = parts.map((_, part) =>
      heat.subarray(bases[part], bases[part + 1]).reduce((sum, value) => sum + value, 0),
    );
    const hottest = Math.max(0, weightOf.indexOf(Math.max(...weightOf)));
    box.replaceChildren(
      ...parts.map((part, index) => {
        const base = bases[index];
        const options = { base, most, withBytes: codeBytes, sources, funcs, showFunc };
        const share = result.weight === 0 ? 0 : weightOf[index] / result.weight;
        return renderPart(part, share, index === hottest, () =>
          renderAssembly(part, result, options),
        );
      }),
    );
    box.querySelector('.is-hottest')?.scrollIntoView({ block: 'center' });
  }

  return { show: (state, func) => void show(state, func), stop: () => wanted++ };
}

/** A part that opens; its instructions are drawn when it does. */
function renderPart(
  part: CodePart,
  share: number,
  isOpen: boolean,
  render: () => HTMLTableElement,
): HTMLElement {
  const facts = [
    part.tier,
    `${formatShare(share)} self`,
    `${formatCount(part.size)} bytes`,
    part.architecture,
    part.extent === 'frame table' ? 'no symbol: ends by frame table' : '',
  ];
  const summary = element(
    'summary',
    '',
    part.name,
    element('span', 'beside', facts.filter((fact) => fact !== '').join(' · ')),
  );
  const details = element('details', 'code-part', summary);
  const fill = () => {
    if (details.open && details.childElementCount === 1) details.append(render());
  };
  details.addEventListener('toggle', fill);
  details.open = isOpen;
  fill();
  return details;
}

/** Where each part's first instruction stands among those of all; and, at the end, how many there are. */
function basesOf(parts: readonly CodePart[]): number[] {
  const bases = [0];
  for (const { offset } of parts) bases.push((bases.at(-1) as number) + offset.length);
  return bases;
}

function describe({ parts, missing }: PageAssembly, result: AssemblyResult): string {
  const share = (value: number) => formatShare(result.weight === 0 ? 0 : value / result.weight);
  const sum = (column: Float64Array) => column.reduce((total, value) => total + value, 0);
  const inlined = sum(result.inlined);
  const sentences: string[] = [];
  if (parts.length > 0) {
    const self = sum(result.self);
    const own =
      inlined > 0
        ? `: ${share(self)} in the function itself, ${share(inlined)} in functions inlined into it.`
        : '.';
    sentences.push(`${share(self + inlined)} of all is at these instructions${own}`);
    sentences.push('A caller’s total is at its call.');
  }
  if (result.selfElsewhere > 0 && parts.length > 0) {
    sentences.push(`${share(result.selfElsewhere)} is in code of this function that is not shown.`);
  }
  for (const { reason, samples } of missing) {
    sentences.push(`${formatCount(samples)} ${samples === 1 ? 'sample' : 'samples'}: ${reason}`);
  }
  if (parts.length === 0 && missing.length === 0)
    sentences.push('No sample has a frame in this function.');
  return sentences.join(' ');
}

/** The lines of the files that the instructions come from, as far as the server has them. */
async function readSources(
  { files }: PageAssembly,
  texts: CodeTexts,
): Promise<Map<string, readonly string[]>> {
  const read = await Promise.all(
    files.map(async ({ path, string }) => ({ path, text: await texts.source(string) })),
  );
  return new Map(
    read.flatMap(({ path, text }) => (text instanceof Error ? [] : [[path, text.split('\n')]])),
  );
}
