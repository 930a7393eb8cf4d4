import { expect } from 'vitest';
import type { BidiSession } from './bidi-session.ts';

type Reference = { readonly sharedId: string };

type Evaluated =
  | { readonly type: 'success'; readonly result: { readonly value: string } & Reference }
  | { readonly type: 'exception'; readonly exceptionDetails: { readonly text: string } };

/** https://w3c.github.io/webdriver/#keyboard-actions */
const KEYS: Readonly<Record<string, string>> = { Escape: '\ue00c', Enter: '\ue007' };

/** A tab of Firefox. Elements are named by a CSS selector and a part of their text; the first is meant. */
export class FirefoxPage {
  readonly #session: BidiSession;
  readonly #context: string;

  constructor(session: BidiSession, context: string) {
    this.#session = session;
    this.#context = context;
  }

  async open(url: string): Promise<void> {
    const context = this.#context;
    await this.#session.send('browsingContext.navigate', { context, url, wait: 'complete' });
  }

  /** The value of a JavaScript expression in the page, as JSON has it. */
  async evaluate<Result>(expression: string): Promise<Result> {
    const body = `async () => JSON.stringify(await (${expression})) ?? 'null'`;
    return JSON.parse((await this.#call(body)).value);
  }

  count(selector: string, text = ''): Promise<number> {
    return this.evaluate(`${elements(selector, text)}.length`);
  }

  /** The text of the first; the empty string where there is none. */
  text(selector: string): Promise<string> {
    return this.evaluate(`${elements(selector)}[0]?.innerText ?? ''`);
  }

  address(): Promise<string> {
    return this.evaluate('window.location.href');
  }

  async waitFor(selector: string, text = ''): Promise<void> {
    const what = `${selector} ${text}`;
    await expect.poll(() => this.count(selector, text), { message: what }).toBeGreaterThan(0);
  }

  /** Moves the pointer to the middle of the element, and presses its first button there. */
  async click(selector: string, text = ''): Promise<void> {
    await this.waitFor(selector, text);
    const find = `() => {
      const found = ${elements(selector, text)}[0];
      found.scrollIntoView({ block: 'nearest' });
      return found;
    }`;
    const { sharedId } = await this.#call(find);
    const origin = { type: 'element', element: { sharedId } };
    await this.#perform('pointer', [
      { type: 'pointerMove', x: 0, y: 0, origin },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ]);
  }

  async press(key: string): Promise<void> {
    const value = KEYS[key] ?? key;
    await this.#perform('key', [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
  }

  async goBack(): Promise<void> {
    const context = this.#context;
    await this.#session.send('browsingContext.traverseHistory', { context, delta: -1 });
  }

  async #perform(type: 'pointer' | 'key', actions: readonly object[]): Promise<void> {
    const context = this.#context;
    const source = { type, id: type, actions };
    await this.#session.send('input.performActions', { context, actions: [source] });
  }

  async #call(body: string): Promise<{ value: string } & Reference> {
    const answer = await this.#session.send<Evaluated>('script.callFunction', {
      functionDeclaration: body,
      target: { context: this.#context },
      awaitPromise: true,
    });
    if (answer.type === 'exception') throw new Error(answer.exceptionDetails.text);
    return answer.result;
  }
}

/** An expression for the elements of a page that a selector and a part of their text name. */
function elements(selector: string, text = ''): string {
  const all = `[...document.querySelectorAll(${JSON.stringify(selector)})]`;
  return `${all}.filter((one) => one.textContent.includes(${JSON.stringify(text)}))`;
}
