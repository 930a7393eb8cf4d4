import { expect, test } from 'vitest';
import { StackBytes } from '../../../src/code/unwind/stack-bytes.ts';

const SP = 0x7ffc_0000_1000;

/** 20 bytes behind 4 others: two whole words and a half, from the stack pointer up. */
function copied(): StackBytes {
  const view = new DataView(new ArrayBuffer(64));
  view.setBigUint64(4, 0x7f12_3456_789an, true);
  view.setBigUint64(12, 0xff80_7f12_3456_789an, true);
  view.setUint32(20, 0xffff_ffff, true);
  const stack = new StackBytes();
  stack.set(view, 4, 20, SP);
  return stack;
}

test.each([
  ['before the first', SP - 1, Number.NaN, Number.NaN],
  ['the first', SP, 0x7f12_3456_789a, 0x7f12_3456_789a],
  ['across two', SP + 4, 0x3456_789a * 2 ** 32 + 0x7f12, 0x789a * 2 ** 32 + 0x7f12],
  ['the last whole one', SP + 8, 0xff80_7f12 * 2 ** 32 - 2 ** 64 + 0x3456_789a, 0x7f12_3456_789a],
  ['one of which 4 bytes are there', SP + 16, Number.NaN, Number.NaN],
  ['one at no address', Number.NaN, Number.NaN, Number.NaN],
])('a word of the stack dump: %s', (_, address, word, pointer) => {
  const stack = copied();
  expect([stack.readWord(address), stack.readPointer(address)]).toEqual([word, pointer]);
  expect(stack.end).toBe(SP + 20);
});
