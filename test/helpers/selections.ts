import type { Selection } from '../../web/src/worker/messages/selection.ts';

/** All samples of the first event, as the page asks its worker for them. */
export const WHOLE = {
  event: 0,
  weight: 'period',
  level: 'all',
  threads: [],
  pid: null,
  cpu: null,
  inTurnsOver: null,
  fromNs: null,
  toNs: null,
  group: null,
  edits: [],
} as const satisfies Selection;

/** The tree of them, as large as it is. */
export const WHOLE_TREE = {
  ...WHOLE,
  roots: 'none',
  inverted: false,
  order: 'weight',
  zoom: [],
  search: '',
  leastPart: 0,
} as const;

/** The tracks of their threads, each with one of its own; a question adds its grid. */
export const TRACKS = { ...WHOLE, own: 9, chosen: [], only: null, lit: null } as const;
