import { expect, test } from 'vitest';
import { tokensAtMost } from '../../../src/tools/mcp/token-bound.ts';

// What OpenAI's o200k_base and cl100k_base make of each, the larger of the two (npm gpt-tokenizer 3).
test.each([
  ['std::vector<std::basic_string<char>>::emplace_back', 12],
  ['处理请求的函数名称很长很长', 11],
  ['🦊🦄👩‍👩‍👧‍👦', 24],
  ['0x7f3a9b2c10_ZN4node6crypto9KeyObjectE', 21],
  ['ꙮ𒐫𓀀𝔘𝔫𝔦', 20],
  ['aGVsbG8gd29ybGQxMjM0NTY3ODkwYWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo', 46],
  ['обработкаЗапросаДлинноеИмя', 15],
  ['함수이름이아주길다', 10],
  ['/home/user/project/src/handlers/userSession.controller.ts:128', 13],
  ['| 1 | 28051 | 1034522103 | 0 | 18 |', 20],
  ['4f1d7e0c9a8b3362e5d47709ab12cd34', 23],
])('%s has no more tokens than are allowed for', (text, tokens) => {
  expect(tokensAtMost(text)).toBeGreaterThanOrEqual(tokens);
  expect(tokensAtMost(text)).toBeLessThanOrEqual(2.5 * tokens);
});
