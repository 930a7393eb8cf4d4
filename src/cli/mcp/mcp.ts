import { createInterface } from 'node:readline';
import { answerLine } from '../../tools/mcp/protocol.ts';
import { perfTools } from '../../tools/mcp/tools.ts';
import { loadForCommand } from '../command/load.ts';
import { writeOut } from '../command/stdout.ts';

/** `perf-ts mcp`: answers an assistant on standard input and output, one after the other. */
export async function runMcp(): Promise<void> {
  const tools = perfTools((file) => loadForCommand(file, { wanted: 'auto', lines: true }));
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue;
    const answer = await answerLine(line, tools);
    if (answer !== null) writeOut(`${answer}\n`);
  }
}
