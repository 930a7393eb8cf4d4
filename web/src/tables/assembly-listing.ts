import type { CodePart, PageAssembly } from '../../../src/code/disassembly/types.ts';
import { askLatest } from '../ask/ask.ts';
import { formatCount, formatShare } from '../ask/format.ts';
import { element } from '../dom/dom.ts';
import { selectionOf } from '../state/selection.ts';
import type { ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import type { ViewContext } from '../state/view-context.ts';
import { sum } from '../time/shown-weight.ts';
import type { AssemblyParams, AssemblyResult } from '../worker/messages/messages.ts';
import { AssemblyTable } from './assembly-table.ts';
import type { CodePanel, CodePicture } from './code-panel.ts';
import type { CodeTexts } from './code-texts.ts';
import './assembly.css';

/** The machine code of a function, part by part, with what was spent at each instruction. */
export class AssemblyListing {
  readonly #store: Store;
  readonly #panel: CodePanel;
  readonly #texts: CodeTexts;
  readonly #askWeights: (params: AssemblyParams) => boolean;
  /** The code that was weighed last, and its weights; these are null until they are there. */
  #weighed: {
    readonly func: number;
    readonly code: PageAssembly;
    readonly weights: AssemblyResult | null;
  } | null = null;

  constructor({ store, ask }: ViewContext, panel: CodePanel, texts: CodeTexts) {
    this.#store = store;
    this.#panel = panel;
    this.#texts = texts;
    this.#askWeights = askLatest(
      ask,
      'assembly',
      (weights) => {
        if (this.#weighed === null) return;
        this.#weighed = { ...this.#weighed, weights };
        if (this.#isShown(this.#weighed.func)) this.#draw(this.#weighed.code, weights);
      },
      (problem) => panel.fail(problem),
    );
  }

  async show(func: number): Promise<void> {
    if (this.#weighed?.func !== func) this.#panel.wait('Disassembling …');
    const code = await this.#texts.assembly(func);
    if (!this.#isShown(func)) return;
    if (code instanceof Error) {
      this.#panel.fail(code.message);
      return;
    }
    const isNew = this.#askWeights(weightParams(this.#store.get(), func, code));
    if (isNew) this.#weighed = { func, code, weights: null };
    // The same weights in another form are not asked for again.
    else if (this.#weighed?.weights) this.#draw(code, this.#weighed.weights);
  }

  /** True while the state still shows the machine code of `func`. */
  #isShown(func: number): boolean {
    const state = this.#store.get();
    return state.func === func && state.code !== 'source';
  }

  #draw(code: PageAssembly, weights: AssemblyResult): void {
    void this.#panel.draw(pictureOf(code, weights, this.#texts, this.#store));
  }
}

function weightParams(state: ViewState, func: number, { parts }: PageAssembly): AssemblyParams {
  const bases = basesOf(parts);
  return {
    ...selectionOf(state),
    func,
    frames: parts.flatMap(({ frames }) => frames),
    instructions: parts.flatMap(({ rowOfFrame }, part) =>
      rowOfFrame.map((row) => (row === -1 ? -1 : row + bases[part])),
    ),
    count: bases[parts.length],
  };
}

async function pictureOf(
  assembly: PageAssembly,
  result: AssemblyResult,
  texts: CodeTexts,
  store: Store,
): Promise<CodePicture> {
  const { code, codeBytes } = store.get();
  const { parts } = assembly;
  const sources = code === 'both' ? await readSources(assembly, texts) : null;
  const funcs = new Map(assembly.funcs.map(({ name, func }) => [name, func]));
  const showFunc = (func: number) => store.change({ func });
  const bases = basesOf(parts);
  const heat = result.self.map((self, at) => self + result.inlined[at]);
  const most = heat.reduce((max, value) => Math.max(max, value), 0);
  const weightOf = parts.map((_, part) => sum(heat.subarray(bases[part], bases[part + 1])));
  const hottest = Math.max(0, weightOf.indexOf(Math.max(...weightOf)));
  return {
    title: result.name,
    where: parts[0]?.dso ?? '',
    figures: `self ${formatShare(share(sum(heat) + result.selfElsewhere, result))}`,
    notes: describeWeights(assembly, result),
    content: parts.map((part, index) => {
      const base = bases[index];
      const options = { base, most, withBytes: codeBytes, sources, funcs, showFunc };
      const table = () => new AssemblyTable(part, result, options).root;
      return renderPart(part, share(weightOf[index], result), index === hottest, table);
    }),
  };
}

function share(value: number, { weight }: AssemblyResult): number {
  return weight === 0 ? 0 : value / weight;
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

/** Index of each part's first instruction among those of all; the last number is how many there are. */
function basesOf(parts: readonly CodePart[]): number[] {
  const bases = [0];
  for (const { offset } of parts) bases.push(bases.at(-1)! + offset.length);
  return bases;
}

function describeWeights({ parts, missing }: PageAssembly, result: AssemblyResult): string[] {
  const shareText = (value: number) => formatShare(share(value, result));
  const inlined = sum(result.inlined);
  const sentences: string[] = [];
  if (parts.length > 0) {
    const self = sum(result.self);
    const own =
      inlined > 0
        ? `: ${shareText(self)} in the function itself, ${shareText(inlined)} in functions inlined into it.`
        : '.';
    sentences.push(`${shareText(self + inlined)} of all is at these instructions${own}`);
    sentences.push('A caller’s total is at its call.');
  }
  if (result.selfElsewhere > 0 && parts.length > 0) {
    sentences.push(
      `${shareText(result.selfElsewhere)} is in code of this function that is not shown.`,
    );
  }
  for (const { reason, samples } of missing) {
    sentences.push(`${formatCount(samples)} ${samples === 1 ? 'sample' : 'samples'}: ${reason}`);
  }
  if (parts.length === 0 && missing.length === 0)
    sentences.push('No sample has a frame in this function.');
  return sentences;
}

/** The lines of the files that the instructions come from, as far as the server has them. */
async function readSources(
  { files }: PageAssembly,
  texts: CodeTexts,
): Promise<Map<string, readonly string[]>> {
  const read = await Promise.all(
    files.map(async ({ path, string }) => ({ path, answer: await texts.source(string) })),
  );
  return new Map(
    read.flatMap(({ path, answer }) =>
      answer instanceof Error ? [] : [[path, answer.text.split('\n')]],
    ),
  );
}
