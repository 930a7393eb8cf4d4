import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { FailedError, UsageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import type { AskedOf } from '../../options/option.ts';
import type { OnReadingProgress } from '../../options/reading.ts';
import { checkInput } from '../../tools/mcp/input-schema.ts';
import { Calls, type Tool } from '../../tools/mcp/protocol.ts';
import { type RunRecorder, recordTool } from '../../tools/mcp/record-tool.ts';
import { perfTools } from '../../tools/mcp/tools.ts';
import { loadForCommand } from '../shared/load.ts';
import { writeOut } from '../shared/stdout.ts';
import type { MCP } from './mcp-options.ts';

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

/** A recorder may say so much; the last of it counts. */
const MOST_KEPT = 2000;
/** Time for it to write its file, after the recording's time is over. */
const GRACE_MS = 15_000;
const LAST_GRACE_MS = 5000;

/**
 * Runs this program as a recorder of its own, since a command that is recorded has the recorder's standard
 * output, which the assistant reads. Ends it, and with it the command, when it takes too long.
 */
const runRecorder: RunRecorder = (args, seconds) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1], ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let reported = '';
    child.stderr.on('data', (chunk: Buffer) => {
      reported = (reported + chunk.toString()).slice(-MOST_KEPT);
    });
    // The first interrupt ends what is recorded as well.
    const timers = [
      setTimeout(() => child.kill('SIGINT'), seconds * 1000 + LAST_GRACE_MS),
      setTimeout(() => child.kill('SIGTERM'), seconds * 1000 + GRACE_MS),
      setTimeout(() => child.kill('SIGKILL'), seconds * 1000 + GRACE_MS + LAST_GRACE_MS),
    ];
    child.once('error', (error) => reject(new FailedError(error.message)));
    child.once('close', (status, signal) => {
      for (const timer of timers) clearTimeout(timer);
      const hasFailed = status === 125 || status === 2 || signal !== null;
      const how = `The recorder ended with ${signal ?? `status ${status}`}.`;
      const printed = reported.split('\n').map((line) => printable(line).trim());
      resolve({ how, hasFailed, printed: printed.filter((line) => line !== '') });
    });
  });
