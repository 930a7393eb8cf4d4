import type { V8Position } from '../../code/javascript/v8-positions.ts';
import type { SourceLine } from '../../code/jit/code-table.ts';

/** A position in V8's code as tables of code have lines; a column of 0 is an unknown one. */
export function v8SourceLine({ file, line, column, inlined }: V8Position): SourceLine {
  return {
    file,
    line,
    ...(column > 0 && { discriminator: column }),
    ...(inlined !== null && { inlined }),
  };
}
