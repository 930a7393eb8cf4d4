import { createInterface } from 'node:readline';
import { UsageError } from '../../base/errors.ts';
import type { AskedOf } from '../../options/option.ts';
import type { OnReadingProgress } from '../../options/reading.ts';
import { checkInput } from '../../tools/mcp/input-schema.ts';
import { Calls, type Tool } from '../../tools/mcp/protocol.ts';
import { recordTool } from '../../tools/mcp/record-tool.ts';
import { perfTools } from '../../tools/mcp/tools.ts';
import { loadForCommand } from '../shared/load.ts';
import { writeOut } from '../shared/stdout.ts';
import type { MCP } from './mcp-options.ts';
import { runRecorder } from './run-recorder.ts';

/** `perf-ts mcp`: answers an assistant on standard input and output; calls of tools one after the other. */
export async function runMcp({ allowRecord, md, ...asked }: AskedOf<typeof MCP>): Promise<void> {
  const tools = [
    ...perfTools((file, onShare) => {
      const onProgress: OnReadingProgress = (stage, share) => {
        if (stage === 'records') onShare?.(share ?? 0);
      };
      return loadForCommand(file, asked, { lines: true, ...(onShare && { onProgress }) });
    }),
    ...(allowRecord ? [recordTool(runRecorder)] : []),
  ];
  if (md !== undefined) {
    writeOut(`${await answerCall(md, tools)}\n`);
    return;
  }
  const onNotification = (line: string) => writeOut(`${line}\n`);
  const calls = new Calls(tools, { folder: process.cwd(), onNotification });
  const answers = new Set<Promise<void>>();
  const answer = async (line: string): Promise<void> => {
    const text = await calls.answerLine(line);
    if (text !== null) writeOut(`${text}\n`);
  };
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue;
    const answering = answer(line).finally(() => answers.delete(answering));
    answers.add(answering);
  }
  await Promise.all(answers);
}

/** One call as docs/how-to/ask-an-assistant.md writes them: `top {"file":"perf.data"}`. */
async function answerCall(call: string, tools: readonly Tool[]): Promise<string> {
  const [, name, text] = /^\s*(\w+)\s*(\{.*\})?\s*$/s.exec(call) ?? [];
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) {
    throw new UsageError(`--md ${call}: no call of a tool`, [
      `perf-ts mcp --md 'top {"file":"perf.data"}'; tools: ${tools.map((each) => each.name).join(', ')}`,
    ]);
  }
  let input: unknown;
  try {
    input = JSON.parse(text ?? '{}');
  } catch (error) {
    throw new UsageError(`--md ${call}: ${(error as Error).message}`);
  }
  return tool.answer(checkInput(tool.inputSchema, input));
}
