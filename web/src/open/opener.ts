import { element, pushButton } from '../dom.ts';
import { pageOfFiles, sendFile, shownFiles } from './send-file.ts';
import './open.css';

/** Opens recordings from a file chooser or dropped on the page: instead of the shown one, or beside it. */
export class Opener {
  readonly buttons: readonly HTMLElement[];
  /** What is being sent, and what went wrong. */
  readonly status = element('output', 'open-status');
  readonly #open: string | null;
  readonly #shown: number;
  readonly #veil: HTMLElement;

  /** `open`: where recordings are sent to; null in a page that is a file. */
  constructor(page: Document, open: string | null, title: string) {
    this.#open = open;
    this.#shown = shownFiles(1)[0] ?? 0;
    this.buttons =
      open === null
        ? []
        : [
            this.#chooser('Open…', 'Show another recording', false),
            this.#chooser('Compare…', `Compare ${title} with an older recording`, true),
          ];
    this.#veil = element('div', 'drop-veil');
    this.#veil.hidden = true;
    const text = open === null ? CANT : 'Open';
    this.#veil.append(this.#dropPlace(text, false));
    if (open !== null) this.#veil.append(this.#dropPlace(`Compare ${title} with it`, true));
    page.body.append(this.#veil);
    this.#listen(page);
  }

  #chooser(label: string, hint: string, compares: boolean): HTMLElement {
    const input = element('input');
    input.type = 'file';
    input.hidden = true;
    input.addEventListener('change', () => this.#take(input.files?.[0], compares));
    const button = pushButton('', label, () => input.click());
    button.title = hint;
    return element('span', 'open-button', button, input);
  }

  #dropPlace(text: string, compares: boolean): HTMLElement {
    const place = element('div', 'drop-place', text);
    place.addEventListener('dragenter', () => place.classList.add('is-over'));
    place.addEventListener('dragleave', () => place.classList.remove('is-over'));
    place.addEventListener('drop', (event) => this.#take(event.dataTransfer?.files[0], compares));
    return place;
  }

  /** A file that is dropped elsewhere would take the page's place. */
  #listen(page: Document): void {
    page.addEventListener('dragenter', (event) => {
      if (event.dataTransfer?.types.includes('Files')) this.#veil.hidden = false;
    });
    page.addEventListener('dragover', (event) => event.preventDefault());
    page.addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) this.#veil.hidden = true;
    });
    page.addEventListener('drop', (event) => {
      event.preventDefault();
      this.#veil.hidden = true;
    });
  }

  #take(file: File | undefined, compares: boolean): void {
    if (file === undefined) return;
    if (this.#open === null) {
      this.status.textContent = CANT;
      return;
    }
    this.status.textContent = `Reading ${file.name} …`;
    sendFile(this.#open, file).then(
      (number) => {
        const { hash } = window.location;
        const address = pageOfFiles(compares ? [this.#shown, number] : [number]);
        window.location.assign(compares ? `${address}${withDiff(hash)}` : address);
      },
      (error: Error) => {
        this.status.textContent = error.message;
      },
    );
  }
}

const CANT = 'This page is a file: perf-ts view opens recordings.';

/** The same samples, in the tab of changes. */
function withDiff(hash: string): string {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  parameters.set('tab', 'diff');
  parameters.delete('zoom');
  return `#${parameters}`;
}
