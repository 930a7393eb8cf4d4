type Content = string | Node;

/** A place in the window, pixels. */
export type PlaceInWindow = { readonly x: number; readonly y: number };

/**
 * An element with text and elements in it. Strings become text, never markup: names come from
 * strangers.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = '',
  ...content: readonly Content[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.append(...content);
  return made;
}

/** A button with text. */
export function pushButton(className: string, text: string, onPush: () => void): HTMLButtonElement {
  const button = element('button', className, text);
  button.type = 'button';
  button.addEventListener('click', onPush);
  return button;
}

export type Choice<Value extends string> = {
  readonly value: Value;
  readonly label: string;
  readonly hint: string;
  /** Stands before the label; the style sheet may leave it alone where there is little room. */
  readonly sign?: string;
};

/** A segmented control: buttons of which one is pressed. */
export function switcher<Value extends string>(
  title: string,
  choices: readonly Choice<Value>[],
  chosen: Value,
  onChoose: (value: Value) => void,
): HTMLElement {
  const group = element('div', 'switcher');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', title);
  const stop = choices.some(({ value }) => value === chosen) ? chosen : choices[0]?.value;
  const buttons = choices.map(({ value, label, hint, sign }) => {
    const button = pushButton('', sign === undefined ? label : '', () => {
      for (const other of buttons) {
        other.setAttribute('aria-pressed', String(other === button));
        other.tabIndex = other === button ? 0 : -1;
      }
      onChoose(value);
    });
    if (sign !== undefined) {
      button.append(element('span', 'sign', sign), element('span', 'sign-word', ` ${label}`));
      button.setAttribute('aria-label', label);
    }
    button.title = sign === undefined ? hint : `${label}: ${hint}`;
    button.dataset.value = value;
    button.setAttribute('aria-pressed', String(value === chosen));
    button.tabIndex = value === stop ? 0 : -1;
    return button;
  });
  group.append(...buttons);
  // One stop of the Tab key: arrow keys go from button to button.
  group.addEventListener('keydown', (event) => {
    const enabled = buttons.filter((button) => !button.disabled);
    const at = enabled.indexOf(document.activeElement as HTMLButtonElement);
    const last = enabled.length - 1;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    enabled[Math.min(Math.max(to, 0), last)]?.focus();
  });
  return group;
}

export type Chooser = {
  readonly root: HTMLElement;
  /** Options from position `disabledFrom` on can be read, but not chosen. */
  setOptions(options: readonly string[], disabledFrom?: number): void;
  /** Shows the option at a position as chosen; does not call back. */
  choose(index: number): void;
};

/** A labelled list to choose from; `onChoose` gets the position. */
export function chooser(
  title: string,
  options: readonly string[],
  onChoose: (index: number) => void,
): Chooser {
  const select = element('select');
  const root = element('label', 'chooser', element('span', '', title), select);
  select.addEventListener('change', () => onChoose(select.selectedIndex));
  const setOptions = (texts: readonly string[], disabledFrom = texts.length) => {
    // Options that stay are kept: the list may be open.
    while (select.length > texts.length) select.remove(select.length - 1);
    texts.forEach((text, index) => {
      const option = select.options[index] ?? select.appendChild(element('option'));
      if (option.textContent !== text) option.textContent = text;
      option.disabled = index >= disabledFrom;
    });
    root.hidden = texts.length < 2;
  };
  setOptions(options);
  const choose = (index: number) => {
    select.selectedIndex = index;
  };
  return { root, setOptions, choose };
}

/**
 * Replaces what is in `box`. Where one of its elements had the focus, the new one of the same
 * `data-key` or `data-value` gets it: whoever goes by keys stays where they were.
 */
export function replaceKeepingFocus(box: Element, ...content: readonly Content[]): void {
  const focused = document.activeElement;
  const key = focused !== null && box.contains(focused) ? focusKey(focused) : null;
  box.replaceChildren(...content);
  if (key === null) return;
  const again = [...box.querySelectorAll('[data-key], [data-value]')].find(
    (candidate) => focusKey(candidate) === key,
  );
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

/** The key of an element among those that are drawn anew with it; null: none of them. */
function focusKey(of: Element): string | null {
  if (!(of instanceof HTMLElement)) return null;
  const { key, value } = of.dataset;
  if (key !== undefined) return key;
  return value === undefined ? null : `${of.parentElement?.ariaLabel ?? ''} ${value}`;
}

/** A sentence where a picture would be: what is the matter, and a way out where there is one. */
export function emptyState(
  text: string,
  way?: { readonly label: string; readonly go: () => void },
): HTMLElement {
  const box = element('div', 'empty-state', element('p', '', text));
  if (way !== undefined) box.append(pushButton('', way.label, way.go));
  return box;
}

/** Calls `act` with the width of `box`, in pixels, when it gets its first one and whenever that changes. */
export function onWidthChange(box: Element, act: (width: number) => void): void {
  let width = 0;
  new ResizeObserver(() => {
    if (box.clientWidth === width) return;
    width = box.clientWidth;
    act(width);
  }).observe(box);
}
