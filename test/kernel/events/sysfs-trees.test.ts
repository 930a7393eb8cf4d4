// Events of PMUs that are not in this machine: their folders as sysfs shows them, and what perf
// makes of them.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { EventSources } from '../../../src/kernel/events/event-sources.ts';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { readEventSources } from '../../../src/system/kernel/machine-events.ts';
import { SYSFS_EXPECTED, writeSysfsTree } from '../../helpers/sysfs-tree.ts';

/**
 * Texts beside the events of each machine: terms in split ranges, at their limits, in config1 and
 * 2.
 */
const TERMS: Readonly<Record<string, readonly string[]>> = {
  'intel-server': [
    'cpu/event=0xff,umask=0xff,cmask=0xff,inv,edge,any,pc/',
    'cpu/event=0xb7,umask=0x01,offcore_rsp=0xffffffffffffffff/',
    'cpu/event=0xcd,umask=0x1,ldlat=0xffff/',
    'cpu/event=0xc6,umask=0x01,frontend=0x400106/',
    'cpu/config=0x1ffffffff,config1=7,config2=9/',
    'cpu/r1a8/',
    'cpu/event=0x3c,in_tx,in_tx_cp/u',
    'uncore_imc/event=0x04,umask=0x0f,thresh=255/',
    'imc/cas_count_read/',
    'uncore_imc_1/event=0x80/',
    'uncore_cha/event=0x35,umask=0x21,filter_opc0=0x3ff,filter_opc1=0x202,filter_isoc=1/',
    'uncore_cha/event=0x36,tid_en,filter_tid=0x1ff,filter_state=0x3ff/',
    'uncore_iio/event=0x83,umask=0x4,ch_mask=0xff,fc_mask=0x7,thresh=0xfff/',
    'uncore_upi/event=0x2,umask=0x7fffffff/',
    'uncore_upi/event=0x5,umask=0x100012f/',
    'uncore_upi/event=0x5,umask=0x40000000/',
    'msr/event=0xffffffffffffffff/',
  ],
  'intel-hybrid': [
    'cycles',
    'instructions:u',
    'branch-misses',
    'LLC-loads',
    'L1-dcache-load-misses',
    'cpu_core/cycles/',
    'cpu_atom/cycles/u',
    'cpu_atom/LLC-load-misses/',
    'cpu_core/event=0xc6,umask=0x01,frontend=0x400106/',
    'cpu_atom/event=0xb7,umask=0x01,offcore_rsp=0xffffffffffffffff/',
    'cpu_core/config=0x1ffffffff,config1=7,config2=9/',
    'msr/event=0xffffffffffffffff/',
  ],
  'amd-zen4': [
    'cpu/event=0xfff,umask=0xff,cmask=0x7f,inv,edge/',
    'cpu/event=0x287/',
    'cpu/event=0x1c2,umask=0x1/k',
    'ibs_op//',
    'ibs_op/cnt_ctl=1/',
    'ibs_op/cnt_ctl,l3missonly/',
    'ibs_op/swfilt=1/u',
    'ibs_fetch/rand_en=1,l3missonly=1/',
    'amd_df/event=0x1f,umask=0xffe/',
    'amd_df/event=0x3fff,umask=0xfff/',
    'amd_l3/event=0x04,umask=0xff,enallcores,enallslices,threadmask=3/',
    'amd_l3/event=0xac,umask=0x3f,coreid=7,sliceid=5,threadmask=1/',
    'amd_umc_0/event=0xa,rdwrmask=0x2/',
  ],
  'arm-big-little': [
    'armv8_cortex_a53/event=0xffff/',
    'armv8_cortex_a72/event=0x11,long=1,rdpmc=1/u',
  ],
  'arm-server': [
    'armv8_pmuv3_0/event=0xffff/',
    'armv8_pmuv3_0/event=0x11,long=1,rdpmc=1/u',
    'armv8_pmuv3/cpu_cycles/',
    'arm_cmn_0/type=0x5,eventid=0x7ff,bynodeid=1,nodeid=0xffff,occupid=15/',
    'arm_cmn_0/type=0x7770,wp_dev_sel=7,wp_chn_sel=0x1f,wp_grp=1,wp_exclusive=1,wp_combine=3,wp_val=0x123456789abcdef0,wp_mask=0xff00ff00ff00ff00/',
    'arm_cmn/hnf_cache_miss,bynodeid=1,nodeid=0x24/',
    'arm_dsu_0/event=0xffffffff/',
    'arm_spe_0/ts_enable=1,pa_enable=1,load_filter=1,jitter=1,min_latency=0xfff,event_filter=0xfffffffffffffffe/',
  ],
};

const root = mkdtempSync(join(tmpdir(), 'perf-ts-sysfs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const machines = Object.keys(TERMS).map((name) => {
  const folder = join(root, name);
  writeSysfsTree(name, folder);
  const sources = readEventSources({ sysfs: folder, hasExtendedTypes: true });
  return { name, folder, sources, texts: [...everyEvent(sources), ...(TERMS[name] ?? [])] };
});

function everyEvent({ pmus }: EventSources): string[] {
  return pmus.flatMap((pmu) => [...pmu.events.keys()].map((event) => `${pmu.name}/${event}/`));
}

/**
 * One word per attr: what says which event it is. Sorted: perf takes PMUs as the folder lists them.
 */
function attrs(text: string, sources: EventSources): string[] {
  return parseEvents(text, sources)
    .map(({ type, config, config1, config2 }) =>
      word({ type: BigInt(type), config, config1, config2 }),
    )
    .sort();
}

function word(fields: Readonly<Record<string, bigint | undefined>>): string {
  return ['type', 'config', 'config1', 'config2']
    .map((key) => `${key}=0x${(fields[key] ?? 0n).toString(16)}`)
    .join(' ');
}

/** The attrs that perf opens, one for each PMU that the text means. */
function attrsOfPerf(text: string, sysfs: string): string[] {
  const { stderr } = spawnSync('perf', ['stat', '-vv', '-e', text, '--', 'true'], {
    encoding: 'utf8',
    env: { ...process.env, SYSFS_PATH: sysfs },
  });
  const blocks = (stderr ?? '').split(/^perf_event_attr:\n/m).slice(1);
  const words = blocks.map((block) => {
    const fields: Record<string, bigint> = {};
    for (const line of block.slice(0, block.search(/^-{10,}/m)).split('\n')) {
      const found = /^\s+(?:\{ \w+, (\w+) \}|(\w+))\s+(0x[0-9a-f]+|\d+)$/.exec(line);
      if (found) fields[found[1] ?? found[2]] = BigInt(found[3]);
    }
    return word(fields);
  });
  // What the kernel refused is shown once more with something taken out.
  return [...new Set(words)].sort();
}

const { stdout } = spawnSync('perf', ['--version'], { encoding: 'utf8' });
const isPerf61 = /^perf version 6\.1\./.test(stdout ?? '');

if (process.env.UPDATE_SYSFS === '1') {
  const expected = machines.map(({ name, folder, texts }) => [
    name,
    Object.fromEntries(texts.map((text) => [text, attrsOfPerf(text, folder)])),
  ]);
  writeFileSync(SYSFS_EXPECTED, `${JSON.stringify(Object.fromEntries(expected), null, 2)}\n`);
}
const expected = JSON.parse(readFileSync(SYSFS_EXPECTED, 'utf8'));

describe.each(machines)('$name', ({ name, folder, sources, texts }) => {
  it('every event and term becomes the attr that perf makes of it', () => {
    const ours = Object.fromEntries(texts.map((text) => [text, attrs(text, sources)]));
    expect(ours, 'UPDATE_SYSFS=1 asks perf again').toEqual(expected[name]);
  });

  it.skipIf(!isPerf61)('perf still makes the recorded attrs (a sample of them)', () => {
    const sample = texts.filter((_, index) => index % 5 === 0);
    const perf = Object.fromEntries(sample.map((text) => [text, attrsOfPerf(text, folder)]));
    const ours = Object.fromEntries(sample.map((text) => [text, attrs(text, sources)]));
    expect(ours).toEqual(perf);
  });
});

it('the machines have PMUs of more than five kinds', () => {
  const kinds = machines.flatMap(({ sources }) =>
    sources.pmus.map(({ name }) => name.replace(/_\d+$/, '')),
  );
  expect(new Set(kinds).size).toBeGreaterThanOrEqual(15);
});
