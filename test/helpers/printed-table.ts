// The tables that perf-ts prints, read as a reader does: each figure by the heading above it.
//
//    self  95% interval  total  samples  file    function
//     50%    48.9–50.5%    54%    1 983  app.js:7  map callback in parse
//
// A heading and what stands below it share a column of the screen. Trees are tables whose last column is drawn:
//
//     total    self
//    99.86%   0.00%  └─ main              the parent of `solve` is `main`, which begins further left
//    66.43%   0.04%     ├─ solve

export type Row = {
  /** Shares in percent, by heading; a heading that stands twice has the first. */
  readonly shares: ReadonlyMap<string, number>;
  /** The ends of the interval, in percent; null: none is printed. */
  readonly interval: readonly [number, number] | null;
  /** All that is no figure: file and function. */
  readonly names: readonly string[];
  /** In a tree, the name of the row above it; null: there is none, or it is not shown. */
  readonly parent: string | null;
};

export type Table = {
  readonly headings: readonly string[];
  readonly rows: readonly Row[];
  /** Whether the first row stands directly below the headings. */
  readonly hasFirstRow: boolean;
  /** The lines of it, from the headings to the last row. */
  readonly from: number;
  readonly to: number;
};

type Cell = { readonly text: string; readonly from: number; readonly to: number };

const SHARE = /^[~<]?([\d.]+)%$/;
const INTERVAL = /^[~<]?([\d.]+)[–-]([\d.]+)%$/;
/** Signs of trees, bars and of an order that is not certain: no part of a name. */
const DRAWN = /^[\s│├└─▏▎▍▌▋▊▉█?~]+/u;

const cellsOf = (line: string): Cell[] =>
  [...line.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => ({
    text,
    from: index,
    to: index + text.length,
  }));

const isFigure = (text: string): boolean =>
  /^[~<+-]?\d[\d .]*(?:%|(?: (?:ns|µs|ms|s|[kMG]?B))?)?$/.test(text) || INTERVAL.test(text);

/** The headings of a table of shares; null: the line has none. */
function headingsOf(line: string): Cell[] | null {
  const cells = cellsOf(line);
  const isTable = cells.some(({ text }) => /^(?:self|total|share before)$/.test(text));
  return isTable && cells.length > 1 && !cells.some(({ text }) => isFigure(text)) ? cells : null;
}

/** All tables of shares of an output. */
export function tablesOf(lines: readonly string[]): Table[] {
  const tables: Table[] = [];
  for (let from = 0; from < lines.length; from++) {
    const headings = headingsOf(lines[from]);
    if (headings === null) continue;
    let to = from;
    while (to + 1 < lines.length && /^\s*(?:[~<+-]?\d|…$)/.test(lines[to + 1])) to++;
    const body = lines.slice(from + 1, to + 1);
    const drawn = body.filter((line) => line.trim() !== '…');
    const rows = withParents(drawn.map((line) => rowOf(line, headings)));
    const texts = headings.map(({ text }) => text);
    const hasFirstRow = rows.length > 0 && body[0].trim() !== '…';
    tables.push({ headings: texts, rows, hasFirstRow, from, to });
    from = to;
  }
  return tables;
}

type Placed = Omit<Row, 'parent'> & { readonly column: number };

function rowOf(line: string, headings: readonly Cell[]): Placed {
  const shares = new Map<string, number>();
  let interval: [number, number] | null = null;
  const names: string[] = [];
  let column = 0;
  for (const cell of cellsOf(line)) {
    const heading = headings.find(({ from, to }) => cell.from < to && from < cell.to);
    const share = SHARE.exec(cell.text);
    const ends = INTERVAL.exec(cell.text);
    if (ends !== null) interval = [Number(ends[1]), Number(ends[2])];
    else if (share !== null && heading !== undefined && !shares.has(heading.text))
      shares.set(heading.text, Number(share[1]));
    else if (!isFigure(cell.text) && !/^\S+ … \S+|^-?\d.* ms …/.test(cell.text)) {
      const name = cell.text.replace(DRAWN, '');
      if (name === '') continue;
      column = cell.to - name.length;
      names.push(name);
    }
  }
  return { shares, interval, names, column };
}

/** A row's parent is the last one above it that begins further left. */
function withParents(rows: readonly Placed[]): Row[] {
  return rows.map(({ column, ...row }, index) => {
    const above = rows.slice(0, index).findLast((other) => other.column < column);
    return { ...row, parent: above?.names.at(-1) ?? null };
  });
}
