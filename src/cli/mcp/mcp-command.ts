import type { GuidedCommand } from '../shared/guided-command.ts';
import { MCP } from './mcp-options.ts';

/** `perf-ts mcp`. */
export function declareMcp(program: GuidedCommand): void {
  program
    .command('mcp')
    .description('a server for assistants (Model Context Protocol, on standard input and output)')
    .examples(
      [
        ['perf-ts mcp', 'as an assistant starts it: it reads requests from standard input'],
        [`perf-ts mcp --md 'top {"file":"perf.data"}'`, 'what an assistant would be told'],
      ],
      ['Tools, and what they answer: docs/how-to/ask-an-assistant.md'],
    )
    .asks(MCP, async (flags) => {
      const { runMcp } = await import('./mcp.ts');
      await runMcp(flags);
    });
}
