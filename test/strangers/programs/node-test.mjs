// Tests of node:test, by a reporter of the program's own.
import assert from 'node:assert';
import test from 'node:test';

test('passes', () => assert.ok(true));
test('fails', () => assert.equal(1, 2));
test('skipped', { skip: true }, () => {});
