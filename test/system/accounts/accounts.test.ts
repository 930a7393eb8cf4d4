import { describe, expect, it } from 'vitest';
import { accountsFromText, parseId } from '../../../src/system/accounts/accounts.ts';
import { systemAccounts } from '../../../src/system/accounts/system-accounts.ts';

const passwd = `root:x:0:0:root:/root:/bin/bash
# a comment: is no account
+::::::
broken:x:12
alice:x:1000:1000:Alice Liddell,,,:/home/alice:/usr/bin/zsh
twin:x:1000:1000::/home/twin:/bin/sh
alice:x:2000:2000:a second entry:/elsewhere:/bin/sh
overflow:x:4294967295:1::/:/bin/sh
`;
const group = `root:x:0:
adm:x:4:syslog,alice
sudo:x:27:alice
malice:x:50:malice
video:x:44:bob, alice
alice:x:1000:alice
docker:x:999:bob,alice
docker-again:x:999:alice
nonsense:x:abc:alice
`;

describe('accounts out of passwd and group', () => {
  const accounts = accountsFromText(passwd, group);

  it('a reader of passwd and group finds a user with the primary group first and every supplementary group once', () => {
    expect(accounts.byName('alice')).toEqual({
      name: 'alice',
      uid: 1000,
      gid: 1000,
      home: '/home/alice',
      shell: '/usr/bin/zsh',
      groups: [1000, 4, 27, 999],
    });
  });

  it('a reader of passwd and group takes the first of several entries', () => {
    expect(accounts.byUid(1000)?.name).toBe('alice');
    expect(accounts.byUid(2000)?.home).toBe('/elsewhere');
    expect(accounts.byName('alice')?.uid).toBe(1000);
  });

  it('an unknown account is not found', () => {
    for (const name of ['', '+', '# a comment', 'broken', 'overflow', 'bob']) {
      expect(accounts.byName(name)).toBeNull();
    }
    expect(accounts.byUid(12)).toBeNull();
  });
});

describe('ids', () => {
  it('ids are decimal and below the number that means "unchanged"', () => {
    expect(parseId('0')).toBe(0);
    expect(parseId('4294967294')).toBe(4_294_967_294);
    for (const text of ['4294967295', '-1', '', ' 1', '1e3', '0x10', '1000\n', undefined]) {
      expect(parseId(text)).toBeNull();
    }
  });
});

describe('accounts of the machine', () => {
  const files: Record<string, string> = { '/etc/passwd': passwd, '/etc/group': group };
  const machine = (answers: Record<string, string>) => {
    const asked: string[] = [];
    const accounts = systemAccounts({
      readFile: (path) => files[path] ?? '',
      run: (program, args) => {
        asked.push([program, ...args].join(' '));
        return answers[asked.at(-1) as string] ?? null;
      },
    });
    return { accounts, asked };
  };

  it('the lookup of accounts asks no service about a local user', () => {
    const { accounts, asked } = machine({});
    expect(accounts.byUid(1000)?.name).toBe('alice');
    expect(asked).toEqual([]);
  });

  it('the lookup of accounts asks the name service about others, and for all of their groups', () => {
    const { accounts } = machine({
      'getent passwd -- 70001': 'carol:*:70001:70000:Carol:/home/carol:/bin/bash\n',
      'id -G -- carol': '70000 70002 27\n',
    });
    expect(accounts.byUid(70_001)).toEqual({
      name: 'carol',
      uid: 70_001,
      gid: 70_000,
      home: '/home/carol',
      shell: '/bin/bash',
      groups: [70_000, 70_002, 27],
    });
  });

  it('a user whose groups are unknown is not found', () => {
    const line = 'carol:*:70001:70000:Carol:/home/carol:/bin/bash\n';
    expect(machine({ 'getent passwd -- carol': line }).accounts.byName('carol')).toBeNull();
    const broken = { 'getent passwd -- carol': line, 'id -G -- carol': 'id: no such user\n' };
    expect(machine(broken).accounts.byName('carol')).toBeNull();
  });

  it('root is found, an unused uid is not', () => {
    expect(systemAccounts().byUid(0)).toMatchObject({ uid: 0, gid: 0 });
    expect(systemAccounts().byUid(3_999_999_999)).toBeNull();
  });
});
