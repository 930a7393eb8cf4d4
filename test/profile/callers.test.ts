import { expect, test } from 'vitest';
import { hasCallers } from '../../src/profile/callers.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';

test('a frame below another is a caller, a lone one has none', () => {
  expect(hasCallers(profileFromText('work   idle'))).toBe(false);
  expect(hasCallers(profileFromText('work   idle\nleaf'))).toBe(true);
});
