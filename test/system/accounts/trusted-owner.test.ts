import { describe, expect, it } from 'vitest';
import { accountsFromText } from '../../../src/system/accounts/accounts.ts';
import { isTrustedOwner } from '../../../src/system/accounts/trusted-owner.ts';

const ROOT = 0;
const ALICE = 1000;
const BUILD = 1001;
const NOBODY_KNOWN = 4711;

const accounts = accountsFromText(
  `root:x:0:0:root:/root:/bin/bash
alice:x:${ALICE}:1000::/home/alice:/bin/bash
build:x:${BUILD}:1001::/srv/build:/bin/sh
`,
  'docker:x:999:alice\n',
);

const sudo = { SUDO_UID: `${ALICE}`, SUDO_GID: '1000', SUDO_USER: 'alice' };

/** Which of all users a process with this uid and environment believes. */
function believedBy(
  euid: number,
  env: Record<string, string | undefined>,
  others: readonly number[] = [],
): number[] {
  return [ROOT, ALICE, BUILD, NOBODY_KNOWN].filter((uid) =>
    isTrustedOwner(uid, others, { euid, env }, () => accounts),
  );
}

describe('the owners whose files are believed', () => {
  it('root believes files of root', () => {
    expect(believedBy(ROOT, {})).toEqual([ROOT]);
  });

  it('root under sudo believes files of root and of who called sudo', () => {
    expect(believedBy(ROOT, sudo)).toEqual([ROOT, ALICE]);
    expect(believedBy(ROOT, { SUDO_UID: `${ALICE}` })).toEqual([ROOT, ALICE]);
    expect(believedBy(ROOT, { ...sudo, SUDO_GID: '999' })).toEqual([ROOT, ALICE]);
  });

  it('a user believes files of root and its own, whatever SUDO_UID is', () => {
    expect(believedBy(BUILD, {})).toEqual([ROOT, BUILD]);
    expect(believedBy(BUILD, sudo)).toEqual([ROOT, BUILD]);
  });

  it('everybody believes files of the users whom the caller names', () => {
    expect(believedBy(ROOT, {}, [BUILD])).toEqual([ROOT, BUILD]);
    expect(believedBy(ALICE, {}, [BUILD])).toEqual([ROOT, ALICE, BUILD]);
    expect(believedBy(ROOT, sudo, [NOBODY_KNOWN])).toEqual([ROOT, ALICE, NOBODY_KNOWN]);
  });
});

describe('a forged SUDO_UID', () => {
  it.each([
    ['where no account has it', { SUDO_UID: `${NOBODY_KNOWN}` }],
    ['where it is no decimal number', { SUDO_UID: '0x3e8' }],
    ['where it is empty', { SUDO_UID: '' }],
    ['where SUDO_GID is no group of the account', { ...sudo, SUDO_GID: '1001' }],
    ['where SUDO_GID is no number', { ...sudo, SUDO_GID: 'alice' }],
    ['where SUDO_USER stands alone', { SUDO_USER: 'alice' }],
  ])('a forged SUDO_UID is not believed %s', (_, env) => {
    expect(believedBy(ROOT, env)).toEqual([ROOT]);
  });

  it('a forged SUDO_UID costs no look at the accounts unless it names the owner of the file', () => {
    const isAsked = (uid: number, euid: number): boolean => {
      let asked = false;
      const readAccounts = () => {
        asked = true;
        return accounts;
      };
      isTrustedOwner(uid, [], { euid, env: sudo }, readAccounts);
      return asked;
    };
    expect(isAsked(ALICE, ROOT)).toBe(true);
    expect(isAsked(BUILD, ROOT)).toBe(false);
    expect(isAsked(ALICE, BUILD)).toBe(false);
  });
});
