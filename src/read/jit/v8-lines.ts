import { NONE } from '../../base/brand.ts';
import { JitdumpPositions } from '../../code/javascript/jitdump-positions.ts';
import { parseV8Function } from '../../code/javascript/v8-name.ts';
import type { V8Position } from '../../code/javascript/v8-position.ts';
import { V8TablePositions } from '../../code/javascript/v8-table-positions.ts';
import type { CodeEvents } from '../../code/jit/code-events.ts';
import type { CodeTable, SourceLine } from '../../code/jit/code-table.ts';

/**
 * A jitdump's code whose lines in JavaScript are those of the functions that V8 inlined, by
 * `JitdumpPositions`; other code has the lines that its JIT wrote. The lines are taken apart when the first
 * one is asked for.
 */
export function withDumpedLines<Table extends CodeTable>(table: Table): Table {
  let positions: JitdumpPositions | null = null;
  const line = (row: number, address: number): SourceLine | null => {
    if (parseV8Function(table.name(row)) === null) return table.line?.(row, address) ?? null;
    positions ??= new JitdumpPositions({
      length: table.length,
      name: table.name,
      positions: (of) => {
        const lines = table.lines?.(of) ?? null;
        return lines && { ...lines, column: lines.discriminator };
      },
    });
    return lineAt(positions.find(row, address - table.start[row]));
  };
  return { ...table, line };
}

/** Code that V8 announced with the lines of its positions in scripts, by `V8TablePositions`. */
export function withAnnouncedLines({ table, positions, positionsOf }: CodeEvents): CodeTable {
  if (positions.length === 0) return table;
  const found = new V8TablePositions(positions);
  const line = (row: number, address: number): SourceLine | null => {
    const record = positionsOf[row];
    return record === NONE ? null : lineAt(found.find(record, address - table.start[row]));
  };
  if (!positions.hasMakers) return { ...table, line };
  const name = (row: number): string => {
    const text = table.name(row);
    // The entry of a function has no positions, and comes in front of its bytecode.
    const record = positionsOf[row] === NONE ? positionsOf[row + 1] : positionsOf[row];
    const isKnown =
      record !== NONE &&
      record !== undefined &&
      (positionsOf[row] === record || positions.name(record) === text);
    return isKnown ? found.name(record, text) : text;
  };
  return { ...table, line, name };
}

/** A position as tables of code have lines. */
export function lineAt(position: V8Position | null): SourceLine | null {
  if (position === null) return null;
  const { file, line, column, inlined } = position;
  return {
    file,
    line,
    ...(column > 0 && { discriminator: column }),
    ...(inlined !== null && { inlined }),
  };
}
