import { formatAddress } from '../../../src/base/u64.ts';
import type { CodeGap, CodeLocation, CodePart } from '../../../src/code/disassembly/types.ts';
import { formatCount, formatShare } from '../ask/format.ts';
import { element, pushButton } from '../dom/dom.ts';
import type { AssemblyResult } from '../worker/messages/messages.ts';
import { columnHeading } from './data-table.ts';
import { warm, weightCell } from './source-table.ts';

export type AssemblyOptions = {
  /** Index of the part's first instruction in the columns of the result. */
  readonly base: number;
  /** The most that any instruction of the function has. */
  readonly most: number;
  readonly withBytes: boolean;
  /** Lines of source files by path: each location gets a row of its own. Null: a cell behind the code. */
  readonly sources: ReadonlyMap<string, readonly string[]> | null;
  /** Functions that can be shown, by name. */
  readonly funcs: ReadonlyMap<string, number>;
  readonly showFunc: (func: number) => void;
};

/** The instructions of one part, with what was spent at each. */
export class AssemblyTable {
  readonly root: HTMLTableElement;
  readonly #part: CodePart;
  readonly #result: AssemblyResult;
  readonly #options: AssemblyOptions;
  /** The rows of the instructions, which jumps lead to. */
  readonly #lines: HTMLTableRowElement[] = [];

  constructor(part: CodePart, result: AssemblyResult, options: AssemblyOptions) {
    this.#part = part;
    this.#result = result;
    this.#options = options;
    const head = element(
      'tr',
      '',
      columnHeading('Self'),
      columnHeading('Total'),
      columnHeading('Address'),
      ...(options.withBytes ? [columnHeading('Bytes', '')] : []),
      columnHeading('Instruction', ''),
      ...(options.sources === null ? [columnHeading('Line', '')] : []),
    );
    this.root = element(
      'table',
      'source-table assembly-table',
      element('thead', '', head),
      element('tbody', '', ...this.#renderRows()),
    );
    this.root.setAttribute('aria-label', `Weight per instruction of ${part.name}`);
  }

  /** The instructions, gaps, and the source lines where another one begins. */
  #renderRows(): HTMLTableRowElement[] {
    const { offset, location, locations, name, gaps } = this.#part;
    const { withBytes, sources } = this.#options;
    const columns = withBytes ? 6 : 5;
    const gapBefore = new Map(gaps.map((gap) => [gap.before, gap]));
    const cameFrom = jumpsByTarget(this.#part);
    const rows: HTMLTableRowElement[] = [];
    let last = -1;
    for (let row = 0; row <= offset.length; row++) {
      const gap = gapBefore.get(row);
      if (gap !== undefined) rows.push(gapRow(gap, columns));
      if (row === offset.length) break;
      const begun = location[row] === last ? undefined : locations[location[row]];
      last = location[row];
      if (begun !== undefined && sources !== null) {
        rows.push(sourceRow(begun, name, sources, columns));
      }
      const line = this.#renderInstruction(row, cameFrom.get(row));
      if (sources === null) line.append(element('td', 'beside', begun ? shortLocation(begun) : ''));
      this.#lines.push(line);
      rows.push(line);
    }
    return rows;
  }

  #renderInstruction(row: number, cameFrom: readonly number[] | undefined): HTMLTableRowElement {
    const { start, offset, bytes } = this.#part;
    const result = this.#result;
    const { base, most, withBytes } = this.#options;
    const at = base + row;
    const self = result.self[at] + result.inlined[at];
    const selfCell = weightCell(self, result);
    if (selfCell.title !== '') selfCell.title += describeSamples(result, at);
    const line = element(
      'tr',
      '',
      selfCell,
      weightCell(result.total[at], result),
      element('td', 'number address', formatAddress(start + offset[row]).slice(2)),
      ...(withBytes ? [element('td', 'code-bytes', spaced(bytes[row]))] : []),
      element('td', 'instruction', targetMark(cameFrom, this.#part), ...this.#renderText(row)),
    );
    warm(line, self, most);
    return line;
  }

  /**
   * `jne 0x401020` with a button in place of the address where the target is shown, `call 0x401030
   * <malloc@plt>` where it has a name.
   */
  #renderText(row: number): (string | Node)[] {
    const text = this.#part.text[row];
    const target = this.#part.target[row];
    if (target !== -1) {
      const space = text.lastIndexOf(' ') + 1;
      const way = `${text.slice(space)} ${target > row ? '↓' : '↑'}`;
      const jump = pushButton('jump', way, () => this.#goTo(target));
      jump.title = 'Go there';
      return [text.slice(0, space), jump];
    }
    const refers = this.#part.refers[row];
    if (refers === '') return [text];
    const { funcs, showFunc } = this.#options;
    const func = funcs.get(refers);
    if (func === undefined) return [text, element('span', 'refers', ` <${refers}>`)];
    const link = pushButton('jump', `<${refers}>`, () => showFunc(func));
    link.title = 'Show that function';
    return [`${text} `, link];
  }

  #goTo(row: number): void {
    const line = this.#lines[row];
    line.tabIndex = -1;
    line.focus({ preventScroll: true });
    line.scrollIntoView({ block: 'center' });
  }
}

function describeSamples({ samples, inlined, self }: AssemblyResult, at: number): string {
  const count = samples[at];
  const text = ` in ${formatCount(count)} ${count === 1 ? 'sample' : 'samples'}`;
  const share = inlined[at] / (inlined[at] + self[at]);
  return share > 0 ? `${text}; ${formatShare(share)} of it in functions inlined here` : text;
}

/** Marks an instruction that jumps lead to. */
function targetMark(from: readonly number[] | undefined, part: CodePart): HTMLElement {
  const mark = element('span', 'target-mark', from === undefined ? '' : '▸');
  if (from !== undefined) {
    const addresses = from.map((row) => formatAddress(part.start + part.offset[row]));
    mark.title = `Jumps come from ${addresses.slice(0, 8).join(', ')}${from.length > 8 ? ' …' : ''}`;
  }
  return mark;
}

function jumpsByTarget({ target }: CodePart): Map<number, number[]> {
  const from = new Map<number, number[]>();
  target.forEach((to, row) => {
    if (to === -1) return;
    const known = from.get(to);
    if (known === undefined) from.set(to, [row]);
    else known.push(row);
  });
  return from;
}

function gapRow({ instructions, bytes }: CodeGap, columns: number): HTMLTableRowElement {
  const what =
    instructions === 0
      ? `${formatCount(bytes)} bytes are not shown`
      : `${formatCount(instructions)} instructions (${formatCount(bytes)} bytes) without samples or with few are not shown`;
  const cell = element('td', 'gap', `… ${what}`);
  cell.colSpan = columns;
  return element('tr', '', cell);
}

function sourceRow(
  location: CodeLocation,
  name: string,
  sources: ReadonlyMap<string, readonly string[]>,
  columns: number,
): HTMLTableRowElement {
  const text = sources.get(location.file)?.[location.line - 1]?.replace(/\r$/, '') ?? '';
  const cell = element(
    'td',
    '',
    element('span', 'beside', shortLocation({ ...location, inlined: [] })),
    element('span', 'source-text', text.trimStart()),
  );
  if (location.inlined.length > 0) {
    cell.append(element('span', 'beside', `inlined: ${[...location.inlined, name].join(' ← ')}`));
  }
  cell.title = location.file;
  cell.colSpan = columns;
  return element('tr', 'source-row', cell);
}

/** `app.c:12 mix`: file without its folder, line, and what was inlined there. */
function shortLocation({ file, line, inlined }: CodeLocation): string {
  const place = file.slice(file.lastIndexOf('/') + 1) + (line > 0 ? `:${line}` : '');
  return inlined.length === 0 ? place : `${place} ${inlined.join(' ← ')}`;
}

/** `48 8b 05`. */
function spaced(hex: string): string {
  return hex.replace(/..(?=.)/g, '$& ');
}
