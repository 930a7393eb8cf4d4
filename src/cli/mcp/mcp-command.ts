import type { GuidedCommand } from '../shared/guided-command.ts';

/** `perf-ts mcp`. */
export function declareMcp(program: GuidedCommand): void {
  program
    .command('mcp')
    .description('a server for assistants (Model Context Protocol, on standard input and output)')
    .optionsGroup('Answering:')
    .option('--allow-record', 'also a tool that records a command or a process, a minute at most')
    .option('--md <call>', 'answer one call as text, and end (default: read requests)')
    .examples(
      [
        ['perf-ts mcp', 'as an assistant starts it: it reads requests from standard input'],
        [`perf-ts mcp --md 'top {"file":"perf.data"}'`, 'what an assistant would be told'],
      ],
      ['Tools, and what they answer: docs/how-to/ask-an-assistant.md'],
    )
    .action(async (flags) => {
      const { runMcp } = await import('./mcp.ts');
      await runMcp(flags);
    });
}
