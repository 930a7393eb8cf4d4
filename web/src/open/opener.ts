import { element, pushButton } from '../dom/dom.ts';
import { pageOfFile, sendFile, shownFile } from './send-file.ts';
import './open.css';

/** Opens recordings from a file chooser or dropped on the page: instead of the shown one, or beside it. */
export class Opener {
  readonly buttons: readonly HTMLElement[];
  /** The line on what is being sent, and what went wrong. */
  readonly status = element('output', 'open-status');
  readonly #open: string | null;
  readonly #veil: HTMLElement;

  /** `open`: where recordings are sent to; null in a page that is a file. */
  constructor(page: Document, open: string | null, title: string) {
    this.#open = open;
    this.buttons =
      open === null
        ? []
        : [
            this.#chooser('Open…', 'Show another recording', false),
            this.#chooser(
              'Compare…',
              `Compare ${title} with an older recording, or several runs of it`,
              true,
            ),
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
    input.multiple = compares;
    input.addEventListener('change', () => this.#take(input.files, compares));
    const button = pushButton('', label, () => input.click());
    button.title = hint;
    return element('span', 'open-button', button, input);
  }

  #dropPlace(text: string, compares: boolean): HTMLElement {
    const place = element('div', 'drop-place', text);
    place.addEventListener('dragenter', () => place.classList.add('is-over'));
    place.addEventListener('dragleave', () => place.classList.remove('is-over'));
    place.addEventListener('drop', (event) => this.#take(event.dataTransfer?.files, compares));
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

  /** One takes the place of what is shown; that is compared with one, or with several. */
  #take(given: FileList | null | undefined, compares: boolean): void {
    const files = [...(given ?? [])].slice(0, compares ? undefined : 1);
    if (files.length === 0) return;
    if (this.#open === null) {
      this.status.textContent = CANT;
      return;
    }
    this.status.title = '';
    this.status.textContent = `Reading ${files.map(({ name }) => name).join(', ')} …`;
    sendFiles(this.#open, files).then(
      (numbers) => {
        const { hash } = window.location;
        const address = compares ? pageOfFile(shownFile(), numbers) : pageOfFile(numbers[0], []);
        window.location.assign(compares ? `${address}${withDiff(hash)}` : address);
      },
      (error: Error) => {
        this.status.textContent = error.message;
        // A narrow head cuts it.
        this.status.title = error.message;
      },
    );
  }
}

/** Their numbers on the server, one after the other. */
async function sendFiles(open: string, files: readonly File[]): Promise<number[]> {
  const numbers: number[] = [];
  for (const file of files) numbers.push(await sendFile(open, file));
  return numbers;
}

const CANT = 'This page is a file: perf-ts view opens recordings.';

/** The address of the same samples in the tab of changes. */
function withDiff(hash: string): string {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  parameters.set('tab', 'diff');
  parameters.delete('zoom');
  return `#${parameters}`;
}
