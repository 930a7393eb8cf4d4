import type { PageSetup } from '../../src/formats/export/page-profile.ts';
import { element } from './dom.ts';
import { followLive } from './setup.ts';
import { decodeState, encodeState, type ViewState } from './state.ts';
import type { ViewContext } from './view-context.ts';
import './live.css';

/** Keys of `sessionStorage`, which lives as long as the tab. */
const FUNCS_KEY = 'perf-ts live funcs';
const SCROLL_KEY = 'perf-ts live scroll';
const HELD_KEY = 'perf-ts live held';

/**
 * A live recording is shown again when it has grown: the page is loaded anew, and as all that it shows
 * is a function of its address, it shows the same of more samples. While a person types, drags or
 * reads a dialog it waits.
 */
export function showGrowth(document: Document, setup: PageSetup, context: ViewContext): void {
  if (setup.live === null) return;
  const { sessionStorage } = window;
  const status = element('span');
  status.setAttribute('role', 'status');
  const hold = element('button', 'quiet');
  hold.type = 'button';
  const bar = element('div', 'live', status, hold);
  document.body.prepend(bar);

  let hasGrown = false;
  let hasEnded = false;
  let isGone = false;
  const isHeld = () => sessionStorage.getItem(HELD_KEY) !== null;
  const say = () => {
    if (isGone) status.textContent = 'perf-ts no longer answers. This page keeps what it shows.';
    else if (hasEnded) status.textContent = 'The recording has ended.';
    else if (!isHeld()) status.textContent = 'Recording: the page follows.';
    else
      status.textContent = `Recording; this page is held${hasGrown ? ' and there is more' : ''}.`;
    bar.classList.toggle('over', hasEnded || isGone);
    hold.textContent = isHeld() ? 'Follow' : 'Hold';
    hold.hidden = isGone || (hasEnded && !hasGrown);
  };
  const reload = () => {
    // Loaded anew without a server, it would be lost.
    if (!hasGrown || isHeld() || isGone) return;
    if (isBusy(document)) {
      setTimeout(reload, 200);
      return;
    }
    sessionStorage.setItem(FUNCS_KEY, String(context.recording.funcCount));
    sessionStorage.setItem(SCROLL_KEY, String(window.scrollY));
    window.location.reload();
  };
  hold.addEventListener('click', () => {
    if (isHeld()) sessionStorage.removeItem(HELD_KEY);
    else sessionStorage.setItem(HELD_KEY, '1');
    say();
    reload();
  });
  followLive(document, setup, {
    onChange() {
      hasGrown = true;
      say();
      reload();
    },
    onEnd() {
      hasEnded = true;
      say();
    },
    onGone() {
      isGone = true;
      say();
    },
  });
  window.scrollTo({ top: Number(sessionStorage.getItem(SCROLL_KEY) ?? 0) });
  say();
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
