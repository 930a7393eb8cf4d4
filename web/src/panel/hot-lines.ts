import { formatShare } from '../ask/format.ts';
import { element, pushButton, replaceKeepingFocus } from '../dom/dom.ts';
import type { ViewContext } from '../state/view-context.ts';
import { CodeTexts } from '../tables/code-texts.ts';
import type { DetailsResult } from '../worker/messages/panel-messages.ts';

/** The lines of a function that most of its self weight is at, with their source where it is there. */
export class HotLines {
  readonly root = element('section', 'chosen-part lines');
  readonly #context: ViewContext;
  readonly #texts: CodeTexts;
  #shown: DetailsResult | null = null;
  /** Source of the file of the lines shown, by line; null until it is there, and where there is none. */
  #text: readonly string[] | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#texts = new CodeTexts(context.file);
  }

  get text(): readonly string[] | null {
    return this.#text;
  }

  show(result: DetailsResult): void {
    if (result.file !== this.#shown?.file) this.#text = null;
    this.#shown = result;
    this.#draw(result);
    if (this.#text !== null || result.file < 0 || result.lines.length === 0) return;
    void this.#texts.source(result.file).then((answer) => {
      if (this.#shown !== result || answer instanceof Error) return;
      this.#text = answer.text.split('\n');
      this.#draw(result);
    });
  }

  #draw({ lines, self, withoutLine, isJit }: DetailsResult): void {
    const share = (weight: number) =>
      element('span', 'neighbour-share', formatShare(self === 0 ? 0 : weight / self));
    const list = element('ol', 'neighbours');
    for (const { line, self: ofLine } of lines) {
      const button = pushButton('link', String(line), () =>
        this.#context.store.change({ tab: 'source' }),
      );
      button.dataset.key = `line ${line}`;
      const source = element('code', 'line-text', (this.#text?.[line - 1] ?? '').trim());
      list.append(element('li', 'neighbour', share(ofLine), button, source));
    }
    if (withoutLine > 0) {
      const { areLossesKnown } = this.#context.recording;
      const why = element(
        'span',
        'quiet-text',
        `at no known line: ${whyNoLine(isJit, areLossesKnown)}`,
      );
      list.append(element('li', 'neighbour', share(withoutLine), why));
    }
    if (self === 0) list.append(element('li', 'quiet-text', 'It only calls others.'));
    replaceKeepingFocus(this.root, element('h3', '', 'Lines of its own time'), list);
  }
}

/** The reason why code has no lines; `isRecording` false: the text of another tool. */
function whyNoLine(isJit: boolean, isRecording: boolean): string {
  if (!isRecording) return 'the text has none';
  return isJit ? 'V8 had not optimized it there' : 'no debug information (build with -g)';
}
