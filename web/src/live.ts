import type { PageSetup } from '../../src/formats/export/page-profile.ts';
import { element, pushButton } from './dom.ts';
import { followLive } from './setup.ts';
import { decodeState, encodeState, type ViewState } from './state.ts';
import type { ViewContext } from './view-context.ts';
import './live.css';

/** Keys of `sessionStorage`, which lives as long as the tab. */
const FUNCS_KEY = 'perf-ts live funcs';
const SCROLL_KEY = 'perf-ts live scroll';
const HELD_KEY = 'perf-ts live held';

/**
 * Shows a live recording again when it has grown: the page is loaded anew, and as all that it shows
 * is a function of its address, it shows the same of more samples. While a person types, drags or
 * reads a dialog it waits.
 */
export function showGrowth(page: Document, setup: PageSetup, context: ViewContext): void {
  if (setup.live === null) return;
  const bar = new LiveBar(context.recording.funcCount);
  page.body.prepend(bar.root);
  followLive(page, setup, {
    onChange: () => bar.grow(),
    onEnd: () => bar.end('ended'),
    onGone: () => bar.end('gone'),
  });
  window.scrollTo({ top: Number(sessionStorage.getItem(SCROLL_KEY) ?? 0) });
}

/** The line above a live page: whether it follows the recording, and a button to hold it. */
class LiveBar {
  readonly root: HTMLElement;
  readonly #funcCount: number;
  readonly #status = element('span');
  readonly #hold = pushButton('quiet', '', () => this.#toggleHold());
  /** Gone: perf-ts ended before it said that the recording had. */
  #state: 'recording' | 'ended' | 'gone' = 'recording';
  /** There is more than the page shows. */
  #hasGrown = false;

  constructor(funcCount: number) {
    this.#funcCount = funcCount;
    this.#status.setAttribute('role', 'status');
    this.root = element('div', 'live', this.#status, this.#hold);
    this.#describe();
  }

  grow(): void {
    this.#hasGrown = true;
    this.#describe();
    this.#reload();
  }

  end(state: 'ended' | 'gone'): void {
    this.#state = state;
    this.#describe();
  }

  #toggleHold(): void {
    if (isHeld()) sessionStorage.removeItem(HELD_KEY);
    else sessionStorage.setItem(HELD_KEY, '1');
    this.#describe();
    this.#reload();
  }

  #describe(): void {
    const more = this.#hasGrown ? ' and there is more' : '';
    this.#status.textContent = {
      recording: isHeld() ? `Recording; this page is held${more}.` : 'Recording: the page follows.',
      ended: 'The recording has ended.',
      gone: 'perf-ts no longer answers. This page keeps what it shows.',
    }[this.#state];
    this.root.classList.toggle('over', this.#state !== 'recording');
    this.#hold.textContent = isHeld() ? 'Follow' : 'Hold';
    this.#hold.hidden = this.#state === 'gone' || (this.#state === 'ended' && !this.#hasGrown);
  }

  /** Loads the page anew as soon as nobody is busy with it. */
  #reload(): void {
    // Loaded anew without a server, it would be lost.
    if (!this.#hasGrown || isHeld() || this.#state === 'gone') return;
    if (isBusy(document)) {
      setTimeout(() => this.#reload(), 200);
      return;
    }
    sessionStorage.setItem(FUNCS_KEY, String(this.#funcCount));
    sessionStorage.setItem(SCROLL_KEY, String(window.scrollY));
    window.location.reload();
  }
}

/** Whether the person wants the page to stay as it is. */
function isHeld(): boolean {
  return sessionStorage.getItem(HELD_KEY) !== null;
}

/**
 * Functions keep their rows while a recording grows, but the keys of what stands at the root begin
 * behind them: the address is made to mean what it meant. To be called before the state is read.
 */
export function shiftKeys(page: Window, setup: PageSetup, funcCount: number): void {
  const earlier = Number(page.sessionStorage.getItem(FUNCS_KEY) ?? funcCount);
  if (setup.live === null || earlier === funcCount) return;
  page.sessionStorage.setItem(FUNCS_KEY, String(funcCount));
  const state: ViewState = decodeState(page.location.hash);
  const shift = (key: number) =>
    key + Math.min(2, Math.floor(key / earlier)) * (funcCount - earlier);
  const zoom = state.zoom.map(shift);
  const treeOpen = state.treeOpen.replace(/\d+/g, (key) => String(shift(Number(key))));
  page.history.replaceState(null, '', `#${encodeState({ ...state, zoom, treeOpen })}`);
}

function isBusy(document: Document): boolean {
  const { activeElement } = document;
  const isTyping = activeElement instanceof HTMLInputElement && activeElement.type !== 'checkbox';
  const isPressed = document.querySelector(':active') !== null;
  const isChoosing = activeElement instanceof HTMLSelectElement;
  return isTyping || isChoosing || isPressed || document.querySelector('dialog[open]') !== null;
}
