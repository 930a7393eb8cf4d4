import type { SliceTableKey } from '../../tools/top/slice-tables.ts';

/** The state of the screen, as the keys have made it. */
export type TopState = {
  readonly tables: readonly SliceTableKey[];
  readonly table: SliceTableKey;
  readonly event: number;
  readonly isPaused: boolean;
  /** Rows whose names have this in them; empty: all. */
  readonly filter: string;
  /** Text that is being typed after `/`; null: nothing. */
  readonly draft: string | null;
  /** Row that is marked, from 0. */
  readonly selected: number;
  /** The callers of one row are shown. */
  readonly showsCallers: boolean;
  readonly showsHelp: boolean;
};

/** The action that a key asks of the sampling. */
export type TopAction = 'quit' | 'interrupt' | 'suspend' | 'reset' | 'callers' | null;

/** `tables`: those that `s` goes through, the one to begin with first. */
export function firstState(tables: readonly SliceTableKey[]): TopState {
  return {
    tables,
    table: tables[0],
    event: 0,
    isPaused: false,
    filter: '',
    draft: null,
    selected: 0,
    showsCallers: false,
    showsHelp: false,
  };
}

/** Words for what terminals send, characters as they are. */
export function keysOf(bytes: string): string[] {
  const found: string[] = [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals send them.
  for (const [key] of bytes.matchAll(/\x1b[[O][0-9;]*[A-Za-z~]|./gsu)) {
    found.push(NAMES[key] ?? (key.length > 2 && key.startsWith('\x1b') ? '' : key));
  }
  return found.filter((key) => key !== '');
}

const NAMES: Readonly<Record<string, string>> = {
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  '\x1b[B': 'down',
  '\x1bOB': 'down',
  '\x1b[5~': 'page-up',
  '\x1b[6~': 'page-down',
  '\x1b': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x03': 'interrupt',
  '\x1a': 'suspend',
};

const PAGE = 10;

/** The state after a key, and what the key asks for besides. `events`: how many there are. */
export function press(
  state: TopState,
  key: string,
  events: number,
): { state: TopState; action: TopAction } {
  if (key === 'interrupt' || key === 'suspend') return { state, action: key };
  if (state.draft !== null) return { state: type(state, state.draft, key), action: null };
  const only = (changed: Partial<TopState>, action: TopAction = null) => ({
    state: { ...state, ...changed },
    action,
  });
  const move = (by: number) => only({ selected: Math.max(0, state.selected + by) });
  switch (key) {
    case 'q':
      return only({}, 'quit');
    case 'h':
    case '?':
      return only({ showsHelp: !state.showsHelp });
    case 'p':
    case ' ':
      return only({ isPaused: !state.isPaused });
    case 'z':
      return only({ selected: 0 }, 'reset');
    case 's': {
      const next = (state.tables.indexOf(state.table) + 1) % state.tables.length;
      const table = state.tables[next];
      return only({ table, selected: 0, showsCallers: false });
    }
    case 'e':
      return only({ event: (state.event + 1) % events, selected: 0, showsCallers: false });
    case '/':
      return only({ draft: state.filter, showsCallers: false });
    case 'up':
    case 'k':
      return move(-1);
    case 'down':
    case 'j':
      return move(1);
    case 'page-up':
      return move(-PAGE);
    case 'page-down':
      return move(PAGE);
    case 'enter':
    case 'a':
      return only({ showsCallers: true }, 'callers');
    case 'escape':
      return only({ showsHelp: false, showsCallers: false, filter: '' });
    default:
      return only({});
  }
}

function type(state: TopState, draft: string, key: string): TopState {
  switch (key) {
    case 'enter':
      return { ...state, filter: draft, draft: null, selected: 0 };
    case 'escape':
      return { ...state, draft: null };
    case 'backspace':
      return { ...state, draft: draft.slice(0, -1) };
    default:
      return key.length <= 2 && key >= ' ' ? { ...state, draft: draft + key } : state;
  }
}
