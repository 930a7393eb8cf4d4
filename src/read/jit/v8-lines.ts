import { parseV8Function } from '../../code/javascript/v8-name.ts';
import { V8Positions } from '../../code/javascript/v8-positions.ts';
import type { CodeTable, SourceLine } from '../../code/jit/code-table.ts';
import { v8SourceLine } from './v8-source-line.ts';

/**
 * A jitdump's code whose lines in JavaScript are those of the functions that V8 inlined, by
 * `V8Positions`; other code has the lines that its JIT wrote. The lines are taken apart when the first
 * one is asked for.
 */
export function withV8Lines<Table extends CodeTable>(table: Table): Table {
  let positions: V8Positions | null = null;
  const line = (row: number, address: number): SourceLine | null => {
    if (parseV8Function(table.name(row)) === null) return table.line?.(row, address) ?? null;
    positions ??= new V8Positions({
      length: table.length,
      name: table.name,
      positions: (of) => {
        const lines = table.lines?.(of) ?? null;
        return lines && { ...lines, column: lines.discriminator };
      },
    });
    const found = positions.find(row, address - table.start[row]);
    return found && v8SourceLine(found);
  };
  return { ...table, line };
}
