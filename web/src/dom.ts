type Content = string | Node;

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

/** A pair or more of buttons of which one is pressed. */
export function switcher<Value extends string>(
  title: string,
  choices: readonly { readonly value: Value; readonly label: string; readonly hint: string }[],
  chosen: Value,
  onChoose: (value: Value) => void,
): HTMLElement {
  const group = element('div', 'switcher');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', title);
  const buttons = choices.map(({ value, label, hint }) => {
    const button = element('button', '', label);
    button.type = 'button';
    button.title = hint;
    button.dataset.value = value;
    button.setAttribute('aria-pressed', String(value === chosen));
    button.addEventListener('click', () => {
      for (const other of buttons) other.setAttribute('aria-pressed', String(other === button));
      onChoose(value);
    });
    return button;
  });
  group.append(...buttons);
  return group;
}

export type Chooser = {
  readonly root: HTMLElement;
  setOptions(options: readonly string[]): void;
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
  const setOptions = (texts: readonly string[]) => {
    select.replaceChildren(...texts.map((text) => element('option', '', text)));
    root.hidden = texts.length < 2;
  };
  setOptions(options);
  const choose = (index: number) => {
    select.selectedIndex = index;
  };
  return { root, setOptions, choose };
}
