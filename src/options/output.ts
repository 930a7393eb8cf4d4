import { text } from './kinds.ts';
import { option, options } from './option.ts';

/** The file that what writes one is given: for texts of what does not know by which command. */
export const OUTPUT = options({ output: option(text, { flags: '-o, --output <file>' }) });
