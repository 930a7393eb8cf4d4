import { afterEach, describe, expect, it } from 'vitest';
import { helperEnvironment, SYSTEM_PATH } from '../../src/system/system-programs.ts';

const { PATH } = process.env;
afterEach(() => {
  process.env.PATH = PATH;
});

describe('helper programs of root', () => {
  it.skipIf(process.geteuid?.() !== 0)(
    'helper programs of root are looked up where only root may write',
    () => {
      process.env.PATH = '/tmp/of-a-stranger:/usr/bin';
      expect(helperEnvironment()).toEqual({ ...process.env, PATH: SYSTEM_PATH });
    },
  );
});

describe('helper programs of a user', () => {
  it.skipIf(process.geteuid?.() === 0)(
    "helper programs of a user are looked up on the user's PATH",
    () => {
      process.env.PATH = '/home/me/bin:/usr/bin';
      expect(helperEnvironment().PATH).toBe('/home/me/bin:/usr/bin');
    },
  );
});
