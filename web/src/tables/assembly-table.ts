import { formatAddress } from '../../../src/base/u64.ts';
import type { CodeLocation, CodePart } from '../../../src/code/disassembly/types.ts';
import { element } from '../dom.ts';
import { formatCount, formatShare } from '../format.ts';
import type { AssemblyResult } from '../worker/messages.ts';
import { columnHeading } from './data-table.ts';
import { figure, warm } from './source-table.ts';

export type AssemblyOptions = {
  /** Where the first instruction of the part stands in the columns of the result. */
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
export function renderAssembly(
  part: CodePart,
  result: AssemblyResult,
  options: AssemblyOptions,
): HTMLTableElement {
  const { base, most, withBytes, sources } = options;
  const { offset, start } = part;
  const rows: HTMLTableRowElement[] = [];
  const columns = withBytes ? 5 : 4;
  const body = element('tbody');
  const cameFrom = jumpsByTarget(part);
  const gaps = new Map(part.gaps.map((gap) => [gap.before, gap]));
  let last = -1;
  for (let row = 0; row <= offset.length; row++) {
    const gap = gaps.get(row);
    if (gap !== undefined) body.append(gapRow(gap.instructions, gap.bytes, columns));
    if (row === offset.length) break;
    const location = part.location[row];
    const isNew = location !== last && location >= 0;
    last = location;
    if (isNew && sources !== null) {
      body.append(sourceRow(part.locations[location], part.name, sources, columns));
    }
    const at = base + row;
    const own = result.self[at];
    const inlined = result.inlined[at];
    const selfCell = figure(own + inlined, result);
    if (selfCell.title !== '') selfCell.title += describeSamples(result, at);
    const address = formatAddress(start + offset[row]).slice(2);
    const cells = [
      selfCell,
      figure(result.total[at], result),
      element('td', 'number address', address),
    ];
    if (withBytes) cells.push(element('td', 'code-bytes', spaced(part.bytes[row])));
    const code = element('td', 'instruction');
    code.append(
      targetMark(cameFrom.get(row), part),
      ...instructionText(part, row, () => rows, options),
    );
    cells.push(code);
    const line = element('tr', '', ...cells);
    if (sources === null) {
      line.append(element('td', 'beside', isNew ? shortLocation(part.locations[location]) : ''));
    }
    warm(line, own + inlined, most);
    rows.push(line);
    body.append(line);
  }
  const head = element(
    'tr',
    '',
    columnHeading('Self'),
    columnHeading('Total'),
    columnHeading('Address'),
  );
  if (withBytes) head.append(columnHeading('Bytes', ''));
  head.append(columnHeading('Instruction', ''));
  if (sources === null) head.append(columnHeading('Line', ''));
  const table = element('table', 'source-table assembly-table', element('thead', '', head), body);
  table.setAttribute('aria-label', `Weight per instruction of ${part.name}`);
  return table;
}

function describeSamples({ samples, inlined, self }: AssemblyResult, at: number): string {
  const count = samples[at];
  const text = ` in ${formatCount(count)} ${count === 1 ? 'sample' : 'samples'}`;
  const share = inlined[at] / (inlined[at] + self[at]);
  return share > 0 ? `${text}; ${formatShare(share)} of it in functions inlined here` : text;
}

/**
 * `jne 0x401020` with a button in place of the address where the target is shown, `call 0x401030
 * <malloc@plt>` where it has a name.
 */
function instructionText(
  part: CodePart,
  row: number,
  rows: () => readonly HTMLTableRowElement[],
  { funcs, showFunc }: AssemblyOptions,
): (string | Node)[] {
  const text = part.text[row];
  const target = part.target[row];
  const refers = part.refers[row];
  if (target === -1) {
    if (refers === '') return [text];
    const func = funcs.get(refers);
    if (func === undefined) return [text, element('span', 'refers', ` <${refers}>`)];
    const link = element('button', 'jump', `<${refers}>`);
    link.type = 'button';
    link.title = 'Show that function';
    link.addEventListener('click', () => showFunc(func));
    return [`${text} `, link];
  }
  const space = text.lastIndexOf(' ') + 1;
  const jump = element('button', 'jump', `${text.slice(space)} ${target > row ? '↓' : '↑'}`);
  jump.type = 'button';
  jump.title = 'Go there';
  jump.addEventListener('click', () => {
    const line = rows()[target];
    if (line === undefined) return;
    line.tabIndex = -1;
    line.focus({ preventScroll: true });
    line.scrollIntoView({ block: 'center' });
  });
  return [text.slice(0, space), jump];
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

function gapRow(instructions: number, bytes: number, columns: number): HTMLTableRowElement {
  const what =
    instructions === 0
      ? `${formatCount(bytes)} bytes are not shown`
      : `${formatCount(instructions)} instructions (${formatCount(bytes)} bytes) without samples or with few are not shown`;
  const cell = element('td', 'gap', `… ${what}`);
  cell.colSpan = columns + 1;
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
  cell.colSpan = columns + 1;
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
