import { text, yesNo } from '../../options/kinds.ts';
import { commandOption, inGroup, options, pick } from '../../options/option.ts';
import { STRICT } from '../../options/reading.ts';

/** `perf-ts mcp`. */
export const MCP = options({
  ...inGroup('Answering:', {
    allowRecord: commandOption(yesNo, {
      flags: '--allow-record',
      help: 'also a tool that records a command or a process, a minute at most',
    }),
    md: commandOption(text, {
      flags: '--md <call>',
      help: 'answer one call as text, and end (default: read requests)',
    }),
  }),
  ...pick(STRICT, 'maxUnpacked'),
});
