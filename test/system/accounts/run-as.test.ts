import { describe, expect, it } from 'vitest';
import { FailedError, UsageError } from '../../../src/base/errors.ts';
import { commandWords, libraryWords } from '../../../src/base/words.ts';
import { accountsFromText } from '../../../src/system/accounts/accounts.ts';
import { chooseUser } from '../../../src/system/accounts/run-as.ts';

const accounts = accountsFromText(
  `root:x:0:0:root:/root:/bin/bash
alice:x:1000:1000::/home/alice:/bin/bash
al:x:1000:1000::/home/al:/bin/bash
build:x:1001:1001::/srv/build:/bin/sh
1001:x:1002:1002::/home/digits:/bin/sh
`,
  `root:x:0:
sudo:x:27:alice
docker:x:999:alice
`,
);

const sudo = { SUDO_UID: '1000', SUDO_GID: '1000', SUDO_USER: 'alice', HOME: '/root' };
const asRoot = (env: Record<string, string | undefined>) => ({ euid: 0, env });
const alice = { uid: 1000, gid: 1000, groups: [1000, 27, 999] };
const aliceEnv = { HOME: '/home/alice', USER: 'alice', LOGNAME: 'alice', SHELL: '/bin/bash' };
/** Which variables are removed. */
const removed = (env: Readonly<Record<string, string | undefined>>) =>
  Object.keys(env).filter((name) => env[name] === undefined);

describe('under sudo', () => {
  it('the command runs as the caller, with all groups and HOME, and the file is the caller’s', () => {
    const { notes, ...chosen } = chooseUser({}, asRoot(sudo), accounts);
    expect(notes.map(commandWords)).toEqual([
      'the command runs as alice (uid 1000), who called sudo; --as-root keeps root',
    ]);
    expect(notes.map(libraryWords)[0]).toContain('; asRoot keeps root');
    expect(chosen).toEqual({
      change: alice,
      env: { ...aliceEnv, SUDO_UID: undefined, SUDO_GID: undefined, SUDO_USER: undefined },
      owner: { uid: 1000, gid: 1000, groups: [1000, 27, 999] },
    });
  });

  it('the command loses what sudo and root’s login set, and keeps what sudo let through', () => {
    const env = {
      ...sudo,
      SUDO_COMMAND: '/usr/bin/perf-ts',
      MAIL: '/var/mail/root',
      XDG_RUNTIME_DIR: '/run/user/0',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus',
      DISPLAY: ':0',
      SSH_AUTH_SOCK: '/tmp/ssh-1/agent',
      PATH: '/usr/bin',
    };
    expect(removed(chooseUser({}, asRoot(env), accounts).env)).toEqual([
      'SUDO_UID',
      'SUDO_GID',
      'SUDO_USER',
      'SUDO_COMMAND',
      'MAIL',
      'XDG_RUNTIME_DIR',
    ]);
  });

  it('a group that the caller had switched to is kept', () => {
    const chosen = chooseUser({}, asRoot({ ...sudo, SUDO_GID: '999' }), accounts);
    expect(chosen.change).toEqual({ ...alice, gid: 999 });
    expect(chosen.owner).toEqual({ uid: 1000, gid: 999, groups: alice.groups });
  });

  it('SUDO_USER decides between names of one uid, and nothing else', () => {
    const name = (SUDO_USER: string | undefined) =>
      chooseUser({}, asRoot({ ...sudo, SUDO_USER }), accounts).env.USER;
    expect(name('al')).toBe('al');
    expect(name('build')).toBe('alice');
    expect(name('nobody-here')).toBe('alice');
    expect(name(undefined)).toBe('alice');
  });

  it('the group without SUDO_GID is the primary group', () => {
    const chosen = chooseUser({}, asRoot({ ...sudo, SUDO_GID: undefined }), accounts);
    expect(chosen.change).toEqual(alice);
  });

  it.each([
    [{ SUDO_UID: undefined }, 'SUDO_UID is not set, although SUDO_USER is'],
    [{ SUDO_UID: '0' }, 'SUDO_UID is 0, root called sudo'],
    [{ SUDO_UID: '' }, "SUDO_UID is '', which is not a user id"],
    [{ SUDO_UID: '1000x' }, "SUDO_UID is '1000x', which is not a user id"],
    [{ SUDO_UID: '-1' }, "SUDO_UID is '-1', which is not a user id"],
    [{ SUDO_UID: '4294967295' }, "SUDO_UID is '4294967295', which is not a user id"],
    [{ SUDO_UID: '4242' }, 'SUDO_UID is 4242, and there is no such user'],
    [{ SUDO_GID: 'users' }, "SUDO_GID is 'users', which is not a group id"],
    [{ SUDO_GID: '0' }, 'SUDO_GID is 0, which is not a group of alice'],
  ])('%o: the command stays root, with a notice', (change, reason) => {
    expect(chooseUser({}, asRoot({ ...sudo, ...change }), accounts)).toEqual({
      change: null,
      env: {},
      owner: null,
      notes: [`the command runs as root: ${reason}`],
    });
  });

  it('--as-root keeps root without a word, and the file is still the caller’s', () => {
    expect(chooseUser({ asRoot: true }, asRoot(sudo), accounts)).toEqual({
      change: null,
      env: {},
      owner: { uid: 1000, gid: 1000, groups: [1000, 27, 999] },
      notes: [],
    });
  });

  it('--user names someone else, and the file is still the caller’s', () => {
    expect(chooseUser({ user: 'build' }, asRoot(sudo), accounts)).toEqual({
      change: { uid: 1001, gid: 1001, groups: [1001] },
      env: expect.objectContaining({ HOME: '/srv/build', USER: 'build', SHELL: '/bin/sh' }),
      owner: { uid: 1000, gid: 1000, groups: [1000, 27, 999] },
      notes: [],
    });
  });
});

describe('--user', () => {
  it('--user keeps root’s session, mail, keys and display from the other user', () => {
    const env = {
      MAIL: '/var/mail/root',
      XDG_RUNTIME_DIR: '/run/user/0',
      XDG_SESSION_ID: '1',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/0/bus',
      SSH_AUTH_SOCK: '/tmp/ssh-1/agent',
      DISPLAY: ':0',
      XAUTHORITY: '/root/.Xauthority',
      KRB5CCNAME: 'FILE:/tmp/krb5cc_0',
      LANG: 'C.UTF-8',
      PATH: '/usr/bin',
    };
    const chosen = chooseUser({ user: 'build' }, asRoot(env), accounts);
    expect(removed(chosen.env)).toEqual(Object.keys(env).slice(0, 8));
  });

  it('--user takes a uid, but a name of digits comes first', () => {
    expect(chooseUser({ user: '1000' }, asRoot({}), accounts).change).toEqual(alice);
    expect(chooseUser({ user: '1001' }, asRoot({}), accounts).change?.uid).toBe(1002);
  });

  it('root stays root, with root’s HOME', () => {
    const chosen = chooseUser({ user: 'root' }, asRoot(sudo), accounts);
    expect(chosen.change).toBeNull();
    expect(chosen.env.HOME).toBe('/root');
  });

  it('--user refuses an unknown user', () => {
    for (const user of ['nobody-here', '4242', '', '-1']) {
      expect(() => chooseUser({ user }, asRoot({}), accounts)).toThrow(
        new UsageError(`user ${user}: there is no such user`),
      );
    }
  });

  it('--user needs root to become someone else', () => {
    const build = { euid: 1001, env: sudo };
    expect(() => chooseUser({ user: 'alice' }, build, accounts)).toThrow(FailedError);
    expect(chooseUser({ user: 'build' }, build, accounts).change).toBeNull();
  });

  it('--user excludes --as-root', () => {
    expect(() => chooseUser({ user: 'build', asRoot: true }, asRoot({}), accounts)).toThrow(
      UsageError,
    );
  });
});

describe('without root', () => {
  it('SUDO_UID changes nothing without root', () => {
    const unchanged = { change: null, env: {}, owner: null, notes: [] };
    expect(chooseUser({}, { euid: 1001, env: sudo }, accounts)).toEqual(unchanged);
  });

  it('--as-root is refused without root', () => {
    expect(() => chooseUser({ asRoot: true }, { euid: 1001, env: {} }, accounts)).toThrow(
      'asRoot: perf-ts does not run as root',
    );
  });
});
