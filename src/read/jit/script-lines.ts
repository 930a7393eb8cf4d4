import { NONE } from '../../base/brand.ts';
import { ScriptPositions } from '../../code/javascript/script-positions.ts';
import type { CodeEvents } from '../../code/jit/code-events.ts';
import type { CodeTable, SourceLine } from '../../code/jit/code-table.ts';
import { v8SourceLine } from './v8-source-line.ts';

/** Code that V8 announced with the lines of its positions in scripts. */
export function withScriptLines({ table, positions, positionsOf }: CodeEvents): CodeTable {
  if (positions.length === 0) return table;
  const found = new ScriptPositions(positions);
  const line = (row: number, address: number): SourceLine | null => {
    const record = positionsOf[row];
    const place = record === NONE ? null : found.find(record, address - table.start[row]);
    return place && v8SourceLine(place);
  };
  return { ...table, line };
}
