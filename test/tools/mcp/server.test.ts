import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';

test('the command answers one message a line, in their order, and ends with its input', () => {
  const file = join(scratchDirectory(), 'app.folded');
  writeFileSync(file, 'main;work 70\nmain 30\n');
  const messages = [
    { id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18' } },
    { method: 'notifications/initialized' },
    { id: 1, method: 'tools/call', params: { name: 'top', arguments: { file } } },
  ];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const { stdout, status } = perfTs(['mcp'], { input: input.join('') });
  expect(status).toBe(0);
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ id }) => id)).toEqual([0, 1]);
  expect(answers[0].result.serverInfo.name).toBe('perf-ts');
  expect(answers[1].result.content[0].text).toContain('| 70.00% | no interval | `work` |');
});

test('one call is answered as text, and recording is a tool only where it is allowed', () => {
  const file = join(scratchDirectory(), 'app.folded');
  writeFileSync(file, 'main;work 70\nmain 30\n');
  const { stdout, status } = perfTs(['mcp', '--md', `top ${JSON.stringify({ file })}`]);
  expect(status).toBe(0);
  expect(stdout).toContain('| 70.00% | no interval | `work` |');
  const wrong = perfTs(['mcp', '--md', 'record {}']);
  expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('no call of a tool')]);
  const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
  expect(perfTs(['mcp'], { input: list }).stdout).not.toContain('"name":"record"');
  expect(perfTs(['mcp', '--allow-record'], { input: list }).stdout).toContain('"name":"record"');
});
