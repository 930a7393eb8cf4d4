import { parseV8Name } from '../../code/javascript/v8-name.ts';
import type { SourceLine } from '../../code/jit/code-table.ts';

/**
 * The column of a line that a JIT gave for the code of `name`, from 1; 0 where it is not known. In a
 * jitdump the discriminator stands for it, and V8 alone means it so.
 */
export function columnIn({ discriminator = 0 }: SourceLine, name: string): number {
  return parseV8Name(name) === null ? 0 : discriminator;
}
