// What the kernel and the system write: symbol lists, maps, modules, CPUID dumps, accounts, sysfs.

import { parseCpuList } from '../../../src/base/cpu-list.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { findKallsymsAddress, parseKallsyms } from '../../../src/code/symbols/kallsyms.ts';
import {
  parseRecordedKernel,
  recordedKernelSymbols,
} from '../../../src/code/symbols/recorded-kernel.ts';
import type { SymbolTable } from '../../../src/code/symbols/symbol-table.ts';
import { decodeMidr } from '../../../src/counting/cpu/arm.ts';
import { decodeCapabilities } from '../../../src/counting/cpu/capabilities.ts';
import { parseLeafDumps } from '../../../src/counting/cpu/leaf-dump.ts';
import { parsePmuFormat } from '../../../src/kernel/events/pmu-format.ts';
import { accountsFromText } from '../../../src/system/accounts/accounts.ts';
import { readContainer } from '../../../src/system/container.ts';
import { cgroupRoot } from '../../../src/system/kernel/containers.ts';
import { readPrivileges } from '../../../src/system/kernel/kernel-settings.ts';
import { parseModules } from '../../../src/system/kernel/running-kernel.ts';
import { parseMaps } from '../../../src/system/processes/system-processes.ts';
import { readConfinement } from '../../../src/tools/doctor/confinement.ts';
import { hasCorpora, readCorpus } from '../../helpers/corpora.ts';
import { mutateBytes, pick, type Random } from '../mutate-bytes.ts';
import { mutateText } from '../mutate-text.ts';
import { repositoryFiles } from '../repository.ts';
import { isReported, type Target, toBytes, toText } from '../target.ts';

const KALLSYMS = `ffffffff81000000 T _text
ffffffff81000000 T _stext
ffffffff81001000 t do_one_initcall
ffffffff81001200 T do_syscall_64
ffffffff82000000 D _etext
ffffffffc0201000 t hid_init\t[hid]
ffffffffc0201080 T hid_exit\t[hid]
ffffffffc0300000 t bpf_prog_abc\t[bpf]
`;

const RECORDED = `ffffffff81001200 ffffffff81001300 do_syscall_64
ffffffff81001300 ffffffff81001400 vfs_read
ffffffffc0201000 ffffffffc0201080 hid_init
`;

const OTHERS = [
  `55d0c2a00000-55d0c2a01000 r-xp 00001000 fe:01 1835039      /usr/bin/a b
7f1c2a400000-7f1c2a5d0000 r-xp 00026000 fe:01 1835040      /usr/lib/libc.so.6
7ffd4b9f5000-7ffd4b9f7000 r-xp 00000000 00:00 0            [vdso]
7f1c2b000000-7f1c2b001000 rwxp 00000000 00:00 0 \n`,
  `hid 147456 2 usbhid,hid_generic, Live 0xffffffffc0201000
ext4 1003520 1 - Live 0xffffffffc0301000 (E)
`,
  `root:x:0:0:root:/root:/bin/bash
me:x:1000:1000:Me,,,:/home/me:/bin/bash
sudo:x:27:me,root
`,
  'Name:\tnode\nTgid:\t12\nCapEff:\t000001ffffffffff\nNSpid:\t12\t1\n',
  '0::/system.slice/docker-abc.scope\n5:cpu,cpuacct:/a/b\n',
  `30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw
cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0
cgroup /sys/fs/cgroup/perf_event cgroup rw,perf_event 0 0
`,
  '0-3,8,10-11\n',
  'config:0-7,32-35\n',
  'config1:63\n',
  '0x00000000410fd0c0\n',
  '50000 100000\n',
];

const mutate = (all: readonly Uint8Array[], random: Random) =>
  random() < 0.3
    ? mutateBytes(pick(random, all), pick(random, all), random)
    : toBytes(mutateText(toText(pick(random, all)), toText(pick(random, all)), random));

function useTable(table: SymbolTable): void {
  for (const address of [0, -1, -0x7f000000, -0x7effedc0, -0x3fdff000, 0x1000]) {
    const index = table.find(address);
    if (index >= 0) table.name(index);
  }
}

/** Options that a user writes are refused; the rest of this is the kernel's and never is. */
function refusable(parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (!isReported(error)) throw error;
  }
}

export const systemTextTargets: readonly Target[] = [
  {
    name: 'kallsyms',
    seeds: () => [
      toBytes(KALLSYMS),
      ...(hasCorpora
        ? [
            readCorpus('elastic+otel-profiling-agent/kallsyms'),
            readCorpus('own/kallsyms.subset').subarray(0, 4000),
          ]
        : []),
    ],
    mutate,
    read(bytes) {
      useTable(parseKallsyms(bytes, new Diagnostics()));
      const wanted = Float64Array.of(-0x7f000000, -0x7effedc0, -0x3fdff000);
      useTable(parseKallsyms(bytes, new Diagnostics(), wanted));
      findKallsymsAddress(bytes, '_text');
      const recorded = recordedKernelSymbols(bytes, wanted, new Diagnostics());
      if (recorded !== null) useTable(parseRecordedKernel(toBytes(recorded), new Diagnostics()));
    },
  },
  {
    name: 'recorded-kernel',
    seeds: () => [toBytes(RECORDED)],
    mutate,
    read: (bytes) => useTable(parseRecordedKernel(bytes, new Diagnostics())),
  },
  {
    name: 'cpuid-dump',
    seeds: () =>
      repositoryFiles('test/counting/cpu/fixtures', '.txt').map(({ text }) =>
        toBytes(text.slice(0, 4000)),
      ),
    mutate,
    read(bytes) {
      for (const { leaves } of parseLeafDumps(toText(bytes)).slice(0, 8))
        decodeCapabilities(leaves);
    },
  },
  {
    name: 'system-text',
    seeds: () => OTHERS.map(toBytes),
    mutate,
    read(bytes) {
      const text = toText(bytes);
      parseMaps(text, true);
      parseModules(text);
      const accounts = accountsFromText(text, text);
      accounts.byName('me');
      accounts.byUid(1000);
      readPrivileges(text);
      readConfinement(() => text);
      readContainer(() => text);
      cgroupRoot(text);
      parsePmuFormat(text.trim());
      decodeMidr(text.trim());
      refusable(() => parseCpuList(text));
    },
  },
];
