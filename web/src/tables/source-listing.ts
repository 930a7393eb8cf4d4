import { askLatest } from '../ask/ask.ts';
import { formatShare } from '../ask/format.ts';
import { selectionOf } from '../state/selection.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { SourceParams, SourceResult } from '../worker/messages/messages.ts';
import type { CodePanel, CodePicture } from './code-panel.ts';
import type { CodeTexts } from './code-texts.ts';
import { renderLines } from './source-table.ts';

/** The lines of a function's source, or of a whole file, with self and total of each. */
export class SourceListing {
  readonly #panel: CodePanel;
  readonly #texts: CodeTexts;
  readonly #showFile: (file: number) => void;
  readonly #askSource: (params: SourceParams) => boolean;
  /** The answer to the last question; null until it is there. */
  #answer: SourceResult | null = null;

  constructor({ store, ask }: ViewContext, panel: CodePanel, texts: CodeTexts) {
    this.#panel = panel;
    this.#texts = texts;
    this.#showFile = (file) => store.change({ func: null, sourceFile: file });
    this.#askSource = askLatest(
      ask,
      'source',
      (answer) => {
        this.#answer = answer;
        const { func, code, sourceFile } = store.get();
        const isShown = func === null ? sourceFile !== null : code === 'source';
        if (isShown) this.#draw(answer);
      },
      (problem) => panel.fail(problem),
    );
  }

  show(state: ViewState): void {
    const { func, sourceFile } = state;
    const what = func === null ? { file: sourceFile ?? -1 } : { func };
    const isNew = this.#askSource({ ...selectionOf(state), ...what });
    if (isNew) this.#answer = null;
    // The machine code may have been drawn since.
    else if (this.#answer !== null) this.#draw(this.#answer);
  }

  #draw(answer: SourceResult): void {
    void this.#panel.draw(pictureOf(answer, this.#texts, this.#showFile));
  }
}

async function pictureOf(
  result: SourceResult,
  texts: CodeTexts,
  showFile: (file: number) => void,
): Promise<CodePicture> {
  const { name, file, firstLine } = result;
  const title = name ?? file?.replace(/^.*\//, '') ?? '';
  const figures = describeShares(result);
  if (file === null) {
    return { title, where: '', figures, notes: [describeNoLines(result)], content: [] };
  }
  const answer = await texts.source(result.fileIndex);
  const where = firstLine > 0 ? `${file}:${firstLine}` : file;
  const notes = describeRest(result);
  const head = {
    title,
    where,
    figures,
    ...(name !== null && { showWhole: () => showFile(result.fileIndex) }),
  };
  if (answer instanceof Error) {
    const content = result.line.length === 0 ? [] : [renderLines(result, null)];
    return { ...head, notes: [answer.message, ...notes], content };
  }
  if (answer.changed !== null) {
    notes.unshift(
      `This file was changed after the recording was made (${answer.changed}): ` +
        'weights may stand beside other lines than those that ran.',
    );
  }
  return { ...head, notes, content: [renderLines(result, answer.text)] };
}

function describeShares({ allSelf, allTotal, weight }: SourceResult): string {
  const share = (value: number) => formatShare(weight === 0 ? 0 : value / weight);
  return `self ${share(allSelf)} · total ${share(allTotal)}`;
}

function describeNoLines({ isJit }: SourceResult): string {
  return isJit ? NO_SCRIPT_LINES : NO_LINES;
}

const NO_LINES =
  'No line of this function is known: its code has no debug information (native code: build ' +
  'with -g), or the recording has none of the addresses behind it. “Assembly” shows its ' +
  'instructions.';

const NO_SCRIPT_LINES =
  'The recording has no lines of this JavaScript function: V8 keeps them of the code that it optimized, ' +
  'and of this function none was sampled (or the recording is of an older perf-ts). “Assembly” shows its instructions.';

/** Sentences about the weight at lines that are not known. */
function describeRest({ withoutLine, weight, isJit, line }: SourceResult): string[] {
  if (withoutLine <= 0) return [];
  const share = formatShare(weight === 0 ? 0 : withoutLine / weight);
  if (!isJit) return [`${share} of all is in this function at lines that are not known.`];
  const what =
    line.length === 0
      ? `${share} of all is in this function, but the recording does not say in which of its lines`
      : `${share} of all is in lines of this function that the recording does not tell`;
  return [`${what}: it ran there before V8 had optimized it.`];
}
