import { UsageError } from '../../base/errors.ts';
import { inLocale } from '../render/ascii.ts';
import { isTerminal, writeAll } from '../shared/stdout.ts';

const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const LEAVE = '\x1b[?7h\x1b[?25h\x1b[?1049l';
const TO_TOP = '\x1b[H';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

export type ScreenSize = { readonly columns: number; readonly rows: number };

/**
 * The terminal while `top` has it: the alternate screen without a cursor, and keys as they are pressed.
 * `leave` gives it back as it was; the end of the process does, too, whatever ends it.
 */
export class TopScreen {
  readonly #onKeys: (bytes: string) => void;
  readonly #onResize: () => void;
  #isOn = false;
  readonly #leave = (): void => this.leave();
  readonly #take = (bytes: string): void => this.#onKeys(bytes);
  readonly #resize = (): void => this.#onResize();

  constructor(onKeys: (bytes: string) => void, onResize: () => void) {
    this.#onKeys = onKeys;
    this.#onResize = onResize;
  }

  get size(): ScreenSize {
    const { columns, rows } = process.stdout;
    return { columns: columns || 80, rows: rows || 24 };
  }

  enter(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    process.on('exit', this.#leave);
    process.stdout.on('resize', this.#resize);
    if (isTerminal(0)) {
      process.stdin.setRawMode(true);
      process.stdin.setEncoding('utf8');
      process.stdin.on('data', this.#take);
      process.stdin.resume();
    }
    write(ENTER);
  }

  /** Whole lines, each no wider than the terminal; no more than it has. */
  draw(lines: readonly string[]): void {
    if (!this.#isOn) return;
    write(
      `${TO_TOP}${lines.map((line) => inLocale(line) + CLEAR_LINE).join('\r\n')}${CLEAR_BELOW}`,
    );
  }

  leave(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    process.off('exit', this.#leave);
    process.stdout.off('resize', this.#resize);
    if (isTerminal(0)) {
      process.stdin.off('data', this.#take);
      process.stdin.pause();
      try {
        process.stdin.setRawMode(false);
      } catch {
        // The terminal is gone, and its mode with it.
      }
    }
    write(LEAVE);
  }
}

/** Throws `UsageError` where a screen is asked for that is not there. */
export function checkTerminal(): void {
  if (process.env.TERM === 'dumb') {
    throw new UsageError('this terminal (TERM=dumb) has no screen to draw on', [
      'table after table: perf-ts top --batch',
    ]);
  }
}

/** Writes at once, so that the text also goes out while the process ends. A terminal that is gone says nothing. */
function write(text: string): void {
  try {
    writeAll(1, Buffer.from(text));
  } catch {
    // The terminal is gone.
  }
}
