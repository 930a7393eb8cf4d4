import type { FrameLevel } from '../../../src/profile/frame-level.ts';
import { element, switcher } from '../dom/dom.ts';
import type { ViewState } from './state.ts';
import type { ViewContext } from './view-context.ts';

const LEVELS: readonly {
  readonly value: FrameLevel;
  readonly label: string;
  readonly hint: string;
}[] = [
  { value: 'all', label: 'All', hint: 'Every frame, as it was recorded' },
  {
    value: 'main',
    label: 'From main',
    hint: 'Without the start of the program and its threads: main is on top',
  },
  {
    value: 'javascript',
    label: 'JavaScript',
    hint: 'Native code of V8, Node, libuv and the kernel as one frame of its kind',
  },
  {
    value: 'own',
    label: 'My code',
    hint: 'Functions of the program itself: dependencies, libraries and the kernel as one frame of their kind, or part of what called them',
  },
];

/** The switch between levels of frames; hidden where the recording has one only. */
export function createFramesSwitch(context: ViewContext): HTMLElement {
  const { store } = context;
  const box = element('div', 'frame-levels');
  const show = ({ frames }: ViewState) => {
    const levels = context.recording.head.frameLevels ?? [];
    box.hidden = levels.length === 0;
    const choices = LEVELS.filter(({ value }) => levels.includes(value));
    const hadFocus = box.contains(document.activeElement);
    const buttons = switcher('Frames', choices, frames, (value) => store.change(atLevel(value)));
    box.replaceChildren(buttons);
    if (hadFocus) buttons.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus();
  };
  store.subscribe((state, previous) => {
    if (state.frames !== previous.frames) show(state);
  });
  context.onReplaced(() => show(store.get()));
  show(store.get());
  return box;
}

/** The level after the shown one; nothing where there is one only. */
export function nextFrames({ store, recording }: ViewContext): Partial<ViewState> {
  const levels = recording.head.frameLevels;
  if (levels === undefined) return {};
  const at = levels.indexOf(store.get().frames);
  return atLevel(levels[(at + 1) % levels.length]);
}

/** Paths of one level are none of another. */
function atLevel(frames: FrameLevel): Partial<ViewState> {
  return { frames, zoom: [], treeOpen: '' };
}
