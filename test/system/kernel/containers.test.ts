import { closeSync, mkdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RECORD } from '../../../src/options/record.ts';
import { STAT } from '../../../src/options/stat.ts';
import {
  cgroupRoot,
  listCgroups,
  openCgroup,
  readNamespaces,
} from '../../../src/system/kernel/containers.ts';
import { scratchDirectory } from '../../helpers/cli.ts';

const UNIFIED = 'cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0';
const OF_EVENTS = 'cgroup /mnt/a\\040b cgroup rw,relatime,perf_event 0 0';
const OF_MEMORY = 'cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0';

describe('the control groups', () => {
  it.each([
    [[OF_MEMORY, UNIFIED], '/sys/fs/cgroup'],
    [[UNIFIED, OF_EVENTS], '/mnt/a b'],
    [[OF_MEMORY], null],
    [[], null],
  ])('control groups are found through the mounts: %j', (mounts, root) => {
    expect(cgroupRoot(mounts.join('\n'))).toBe(root);
  });

  it("control groups are listed parents first, with their directory's inode", () => {
    const root = scratchDirectory();
    for (const path of ['a/b', 'a/c', 'd']) mkdirSync(join(root, path), { recursive: true });
    const inode = (path: string) => statSync(join(root, path), { bigint: true }).ino;
    const groups = listCgroups(root);
    expect(groups.map(({ path }) => path).sort()).toEqual(['/', '/a', '/a/b', '/a/c', '/d']);
    for (const { path, cgroupId } of groups) expect(cgroupId).toBe(inode(path));
    const places = groups.map(({ path }) => path);
    expect(places.indexOf('/a')).toBeLessThan(places.indexOf('/a/b'));
    expect(listCgroups(join(root, 'none'))).toEqual([]);
  });

  it('a group is opened by its path below the root of the hierarchy, or by its full path', () => {
    const root = scratchDirectory();
    mkdirSync(join(root, 'a'));
    for (const path of ['a', '/a', join(root, 'a')]) {
      const fd = openCgroup(path, RECORD.cgroup, root);
      expect(readlinkSync(`/proc/self/fd/${fd}`)).toBe(join(root, 'a'));
      closeSync(fd);
    }
  });

  it.each([RECORD.cgroup, STAT.cgroups])(
    'groups are named by the option that named them',
    (option) => {
      const root = scratchDirectory();
      expect(() => openCgroup('none', option, root)).toThrow(
        `${option.key} none: no such control group (${join(root, 'none')}: ENOENT)`,
      );
      expect(() => openCgroup('a', option, null)).toThrow(`${option.key} a: no control groups`);
    },
  );
});

describe('the namespaces of a thread', () => {
  it("the namespaces are the seven of the thread's links", () => {
    const links = readNamespaces(process.pid, process.pid);
    expect(links).toHaveLength(7);
    const network = statSync('/proc/self/ns/net', { bigint: true });
    expect(links?.[0]).toEqual({ device: network.dev, inode: network.ino });
  });

  it('the namespaces are null for a thread that is gone', () => {
    expect(readNamespaces(2 ** 30, 2 ** 30)).toBeNull();
  });
});
