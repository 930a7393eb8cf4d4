import { FRAME_LEVELS, type FrameLevel } from '../../src/profile/frame-level.ts';
import { element, switcher } from './dom.ts';
import type { ViewState } from './state.ts';
import type { ViewContext } from './view-context.ts';

const LEVELS: readonly {
  readonly value: FrameLevel;
  readonly label: string;
  readonly hint: string;
}[] = [
  { value: 'all', label: 'All', hint: 'Every frame, as it was recorded' },
  {
    value: 'javascript',
    label: 'JavaScript',
    hint: 'Native code of V8, Node, libuv and the kernel as one frame of its kind',
  },
  {
    value: 'own',
    label: 'My code',
    hint: 'Functions outside node_modules and Node: what these did counts for those that called them',
  },
];

/** The switch between levels of frames; none where the recording has no JavaScript. */
export function createFramesSwitch({ store, recording }: ViewContext): HTMLElement[] {
  if (recording.head.firstFrames === undefined) return [];
  const box = element('div', 'frame-levels');
  const show = ({ frames }: ViewState) => {
    const hadFocus = box.contains(document.activeElement);
    const buttons = switcher('Frames', LEVELS, frames, (value) => store.change(atLevel(value)));
    box.replaceChildren(element('span', 'quiet-text', 'Frames'), buttons);
    if (hadFocus) buttons.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus();
  };
  store.subscribe((state, previous) => {
    if (state.frames !== previous.frames) show(state);
  });
  show(store.get());
  return [box];
}

/** The level after the shown one; nothing where there is one only. */
export function nextFrames({ store, recording }: ViewContext): Partial<ViewState> {
  if (recording.head.firstFrames === undefined) return {};
  const at = FRAME_LEVELS.indexOf(store.get().frames);
  return atLevel(FRAME_LEVELS[(at + 1) % FRAME_LEVELS.length]);
}

/** Paths of one level are none of another. */
function atLevel(frames: FrameLevel): Partial<ViewState> {
  return { frames, zoom: [], treeOpen: '' };
}
