import { expect, test } from 'vitest';
import { themeAfter } from '../../web/src/shell/theme-order.ts';

test.each([
  [false, ['dark', 'light', 'system']],
  [true, ['light', 'dark', 'system']],
] as const)('the first step from the theme of the system is seen; dark: %s', (isDark, expected) => {
  const first = themeAfter('system', isDark);
  const second = themeAfter(first, isDark);
  expect([first, second, themeAfter(second, isDark)]).toEqual(expected);
});
