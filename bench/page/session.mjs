// What a person does with the page, one request after the other, as the page asks its worker.

const ALL = {
  event: 0,
  weight: 'events',
  level: 'all',
  threads: [],
  pid: null,
  cpu: null,
  fromNs: null,
  toNs: null,
  group: null,
  edits: [],
};
/** Frames narrower than a pixel of a 1280 wide window are not drawn. */
const TREE = {
  ...ALL,
  roots: 'comm',
  inverted: false,
  order: 'weight',
  zoom: [],
  search: '',
  leastPart: 0.5 / 1250,
};
const TABLE = {
  ...ALL,
  by: 'function',
  sort: 'self',
  descending: true,
  filter: '',
  intervals: false,
  first: 0,
  count: 200,
};
const CELLS = 1250;

/**
 * Asks everything once, in an order in which people do. `ask(what, kind, params)` returns the
 * answer; `what` is null where only the answer counts, not the time.
 */
export function walkThrough(ask, opened, other) {
  const weight = opened.head.weightKinds.includes('events') ? 'events' : 'samples';
  const event = opened.events.reduce(
    (most, { samples }, index, all) => (samples > all[most].samples ? index : most),
    0,
  );
  const all = { ...ALL, event, weight };
  const tree = { ...TREE, ...all };
  const table = { ...TABLE, ...all };
  const seconds = opened.endNs;
  const first = ask('first tree', 'tree', tree);
  const grid = { firstNs: 0, cellNs: seconds / CELLS, length: CELLS };
  const filter = { event, weight, threads: [], pid: null, cpu: null };
  const tracks = { ...filter, level: 'all', grid, own: 3, chosen: [] };
  ask('tracks', 'tracks', tracks);
  ask('intervals of the first tree (background)', 'intervals', tree);

  const { path, func } = heaviestPath(ask, tree, first, opened.funcCount);
  const name = opened.funcNames[func];
  ask('search: text', 'search', { ...tree, search: name });
  ask('search: its tree', 'tree', { ...tree, search: name });
  ask('search: regular expression', 'search', { ...tree, search: `/^${name[0]}.*[a-z]$/` });
  for (const part of [0.25, 0.5, 1]) {
    const zoom = path.slice(0, Math.max(1, Math.round(path.length * part)));
    ask(`zoom click, depth ${zoom.length}`, 'tree', { ...tree, zoom });
  }
  ask('step out', 'tree', { ...tree, zoom: path.slice(0, -1) });

  ask('order by name', 'tree', { ...tree, order: 'name' });
  ask('order by time', 'tree', { ...tree, order: 'time' });
  const inverted = ask('callers', 'tree', { ...tree, inverted: true });
  ask('callers: zoom click', 'tree', {
    ...tree,
    inverted: true,
    zoom: [inverted.labels.key[inverted.rows.label[0]]],
  });
  ask('callers: search', 'search', { ...tree, inverted: true, search: name });
  for (const roots of ['thread', 'process', 'cpu', 'none']) {
    ask(`root by ${roots}`, 'tree', { ...tree, roots });
  }
  const busiest = opened.threads.reduce(
    (most, { samples }, index, threads) => (samples > threads[most].samples ? index : most),
    0,
  );
  ask('one thread', 'tree', { ...tree, threads: [busiest] });
  ask('tracks, one thread chosen', 'tracks', { ...tracks, chosen: [busiest] });
  if (opened.cpus.length > 0) ask('one CPU', 'tree', { ...tree, cpu: opened.cpus[0] });
  for (const kind of opened.head.weightKinds.filter((kind) => kind !== weight)) {
    ask(`weight: ${kind}`, 'tree', { ...tree, weight: kind });
    ask(null, 'tracks', { ...tracks, weight: kind });
  }
  for (const move of [1, 2, 3]) {
    const range = { fromNs: (seconds * move) / 10, toNs: (seconds * (move + 5)) / 10 };
    ask(`time range, move ${move}`, 'tree', { ...tree, ...range });
  }
  ask('time range: callers', 'tree', {
    ...tree,
    fromNs: seconds / 3,
    toNs: seconds / 2,
    inverted: true,
  });
  const edits = {
    'hide a function': { action: 'hide', of: 'func', func },
    'focus a function': { action: 'focus', of: 'func', func },
    'merge a function': { action: 'merge', of: 'func', func },
    'merge recursion': { action: 'merge', of: 'recursion' },
    'merge a DSO': { action: 'merge', of: 'dso', dso: 0 },
  };
  for (const [what, edit] of Object.entries(edits)) ask(what, 'tree', { ...tree, edits: [edit] });

  for (const by of ['function', 'file', 'dso', 'thread']) {
    ask(`table by ${by}`, 'table', { ...table, by });
  }
  ask('table: sort', 'table', { ...table, sort: 'name', descending: false });
  ask('table: filter', 'table', { ...table, filter: 'e' });
  ask('table by function: intervals (background)', 'table', { ...table, intervals: true });
  ask('table by DSO: intervals (background)', 'table', { ...table, by: 'dso', intervals: true });
  const callTree = { ...tree, roots: 'none', leastPart: 0.0001 };
  ask('call tree: open a row', 'tree', { ...callTree, zoom: path.slice(1, 3) });
  ask('sandwich', 'sandwich', { ...all, func, search: '' });
  ask('sandwich of another function', 'sandwich', {
    ...all,
    func: path.at(1) % opened.funcCount,
    search: '',
  });
  ask('summary', 'summary', all);
  ask('details of a function', 'details', { ...all, func });
  ask('its interval (background)', 'selfInterval', { ...all, func });
  ask('source', 'source', { ...all, func });

  ask('heat map', 'heatmap', { ...filter, columnNs: 1e8, rows: 50 });
  ask('heat map of one thread', 'heatmap', {
    ...filter,
    threads: [busiest],
    columnNs: 1e8,
    rows: 50,
  });
  ask('tracks of all threads', 'tracks', { ...tracks, own: 60 });
  const part = { firstNs: seconds / 4, cellNs: seconds / 2 / CELLS, length: CELLS };
  ask('tracks, zoomed', 'tracks', { ...tracks, grid: part });
  ask('span', 'span', { ...filter, fromNs: seconds / 4, toNs: seconds / 2 });
  const period = { event, stream: null, fromNs: null, toNs: null };
  ask('period plots', 'period', period);
  ask('period plots of a range', 'period', { ...period, fromNs: seconds / 4, toNs: seconds / 2 });

  if (other !== null) {
    ask('diff: open', 'open', { slot: 1, side: 'there', bytes: other });
    const diff = { ...all, by: 'absolute', inverted: false, zoom: [], search: '' };
    const drawn = ask('diff', 'diff', diff);
    const zoom = [drawn.tree.labels.key[drawn.tree.rows.label[0]]];
    ask('diff: table with intervals (background)', 'changes', { ...all, by: 'absolute' });
    ask('diff: zoom click', 'diff', { ...diff, zoom });
    ask('diff: callers', 'diff', { ...diff, inverted: true });
  }
}

/** Keys along the heaviest children, and the function of the innermost. */
function heaviestPath(ask, tree, first, funcs) {
  let path = [];
  let drawn = first;
  // What is too narrow to be drawn is drawn after a zoom.
  for (let step = 0; step < 3; step++) {
    const row = heaviestLeaf(drawn);
    if (row < 0) break;
    const below = [];
    for (let at = row; at >= 0; at = drawn.rows.prefix[at]) {
      below.unshift(drawn.labels.key[drawn.rows.label[at]]);
    }
    path = [...path, ...below];
    if (path.length > 100) break;
    drawn = ask(null, 'tree', { ...tree, zoom: path });
  }
  return { path, func: path.at(-1) % funcs };
}

/** Of the heaviest child's heaviest child … the last row; −1: there is none. */
function heaviestLeaf({ rows }) {
  let at = -1;
  for (;;) {
    let next = -1;
    for (let row = 0; row < rows.prefix.length; row++) {
      if (rows.prefix[row] !== at || rows.folded[row] > 0) continue;
      if (next < 0 || rows.total[row] > rows.total[next]) next = row;
    }
    if (next < 0) return at;
    at = next;
  }
}
