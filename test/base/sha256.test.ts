import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/base/sha256.ts';

test('SHA-256 agrees with node:crypto at every length around a block', () => {
  for (let length = 0; length <= 200; length++) {
    const message = Uint8Array.from({ length }, (_, index) => index * 7);
    const expected = createHash('sha256').update(message).digest('hex');
    expect(Buffer.from(sha256(message)).toString('hex')).toBe(expected);
  }
});

test('SHA-256 agrees with node:crypto on any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (message) => {
      const expected = createHash('sha256').update(message).digest('hex');
      expect(Buffer.from(sha256(message)).toString('hex')).toBe(expected);
    }),
  );
});
