import { askLatest } from '../ask.ts';
import { formatShare } from '../format.ts';
import { selectionOf } from '../selection.ts';
import type { Store } from '../store.ts';
import type { ViewContext } from '../view-context.ts';
import type { SourceParams, SourceResult } from '../worker/messages.ts';
import type { CodePanel, CodePicture } from './code-panel.ts';
import type { CodeTexts } from './code-texts.ts';
import { renderLines } from './source-table.ts';

/** The lines of a function's source, with self and total of each. */
export class SourceListing {
  readonly #store: Store;
  readonly #panel: CodePanel;
  readonly #texts: CodeTexts;
  readonly #askSource: (params: SourceParams) => boolean;
  /** The answer to the last question; null until it is there. */
  #answer: SourceResult | null = null;

  constructor({ store, ask }: ViewContext, panel: CodePanel, texts: CodeTexts) {
    this.#store = store;
    this.#panel = panel;
    this.#texts = texts;
    this.#askSource = askLatest(
      ask,
      'source',
      (answer) => {
        this.#answer = answer;
        const { func, code } = store.get();
        if (func !== null && code === 'source') this.#draw(answer);
      },
      (problem) => panel.fail(problem),
    );
  }

  show(func: number): void {
    const isNew = this.#askSource({ ...selectionOf(this.#store.get()), func });
    if (isNew) this.#answer = null;
    // The machine code may have been drawn since.
    else if (this.#answer !== null) this.#draw(this.#answer);
  }

  #draw(answer: SourceResult): void {
    void this.#panel.draw(pictureOf(answer, this.#texts));
  }
}

async function pictureOf(result: SourceResult, texts: CodeTexts): Promise<CodePicture> {
  const { name, file, firstLine } = result;
  const title = name ?? '';
  if (file === null) {
    const notes = [NO_LINES, ...describeRest(result)];
    return { title, where: '', notes, content: [] };
  }
  const text = await texts.source(result.fileIndex);
  const where = firstLine > 0 ? `${file}:${firstLine}` : file;
  const notes = describeRest(result);
  if (!(text instanceof Error))
    return { title, where, notes, content: [renderLines(result, text)] };
  return { title, where, notes: [text.message, ...notes], content: [renderLines(result, null)] };
}

const NO_LINES =
  'No line of this function is known: its code has no debug information (native code: build ' +
  'with -g), or the recording has none of the addresses behind it. “Assembly” shows its ' +
  'instructions.';

/** Sentences about the weight at lines that are not known. */
function describeRest({ withoutLine, weight, isJit }: SourceResult): string[] {
  if (withoutLine <= 0) return [];
  const share = formatShare(weight === 0 ? 0 : withoutLine / weight);
  const said = `${share} of all is in this function at lines that are not known.`;
  const way = 'A jitdump (node --perf-prof) has the lines of JIT code.';
  return isJit ? [said, way] : [said];
}
