import { expect, test } from 'vitest';
import { ProtoWriter } from '../../src/base/proto-writer.ts';

const hex = (writer: ProtoWriter) => Buffer.from(writer.finish()).toString('hex');

test('integers are varints, negative ones of 64 bits, and 0 is left out', () => {
  const writer = new ProtoWriter()
    .int(1, 150)
    .int(2, 0)
    .int(3, 2 ** 40 + 1)
    .int(4, -1n);
  // As protoc encodes them.
  expect(hex(writer)).toBe('089601' + '18818080808020' + '20ffffffffffffffffff01');
});

test('a message has its length in front, however long it becomes', () => {
  for (const length of [0, 1, 127, 128, 16_383, 16_384, 2_097_152]) {
    const inner = new ProtoWriter();
    inner.begin(1).begin(2).bytes(3, new Uint8Array(length).fill(7)).end().int(4, 5).end();
    const plain = new ProtoWriter().bytes(3, new Uint8Array(length).fill(7));
    const outer = new ProtoWriter().bytes(2, plain.finish()).int(4, 5);
    const expected = new ProtoWriter().bytes(1, outer.finish());
    expect(Buffer.compare(inner.finish(), expected.finish())).toBe(0);
  }
});

test.each(['', 'main', 'größer', '名', '𝒇', 'x'.repeat(300), `${'x'.repeat(300)}é`])(
  'the text %j is UTF-8',
  (text) => {
    const bytes = Buffer.from(text);
    expect(hex(new ProtoWriter().text(1, text))).toBe(hex(new ProtoWriter().bytes(1, bytes)));
  },
);

test('a message that was taken keeps its bytes, and the next one begins empty', () => {
  const writer = new ProtoWriter().int(1, 1);
  const taken = writer.take();
  writer.int(1, 2);
  expect([...taken]).toEqual([8, 1]);
  expect([...writer.finish()]).toEqual([8, 2]);
});
