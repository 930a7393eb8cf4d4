import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FailedError } from '../../../src/base/errors.ts';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { readEventSources } from '../../../src/system/kernel/machine-events.ts';
import { checkCpuOption, onlineCpus } from '../../../src/system/kernel/online-cpus.ts';
import { asRootLines } from '../../../src/system/kernel/permission-help.ts';
import { readFormatTexts } from '../../../src/system/kernel/tracefs.ts';
import { readRunPlace } from '../../../src/system/run-place.ts';

const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-sources-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A folder of its own with these files; a path that ends in a slash is an empty folder. */
function folderOf(files: Record<string, string>): string {
  const root = mkdtempSync(join(scratch, 'root-'));
  for (const [path, text] of Object.entries(files)) {
    const target = join(root, path);
    mkdirSync(path.endsWith('/') ? target : dirname(target), { recursive: true });
    if (!path.endsWith('/')) writeFileSync(target, text);
  }
  return root;
}

const DEVICES = 'bus/event_source/devices';

const SYSFS = {
  [`${DEVICES}/cpu/type`]: '4\n',
  [`${DEVICES}/cpu/format/event`]: 'config:0-7,32-35\n',
  [`${DEVICES}/cpu/format/umask`]: 'config:8-15\n',
  [`${DEVICES}/cpu/events/cpu-cycles`]: 'event=0x76\n',
  [`${DEVICES}/cpu/caps/max_precise`]: '3\n',
  [`${DEVICES}/power/type`]: '20\n',
  [`${DEVICES}/power/cpumask`]: '0,18\n',
  [`${DEVICES}/power/events/energy-pkg`]: 'event=0x02\n',
  [`${DEVICES}/power/events/energy-pkg.unit`]: 'Joules\n',
  [`${DEVICES}/power/events/energy-pkg.scale`]: '2.3283064365386962890625e-10\n',
  [`${DEVICES}/power/format/event`]: 'config:0-7\n',
  [`${DEVICES}/idle/type`]: '21\n',
  [`${DEVICES}/idle/cpumask`]: '\n',
  [`${DEVICES}/broken/uevent`]: '',
  'devices/system/cpu/online': '0-1,4\n',
};

const TRACEFS = {
  'events/header_page': 'field: u64 timestamp;\n',
  'events/header_event': '# compressed entry header\n',
  'events/enable': '0\n',
  'events/sched/enable': '0\n',
  'events/sched/sched_switch/id': '316\n',
  'events/sched/sched_switch/format': 'name: sched_switch\nID: 316\n',
  'events/sched/sched_wakeup/id': '319\n',
  'events/sched/sched_wakeup/format': 'name: sched_wakeup\nID: 319\n',
};

const noMount = (): never => {
  throw new Error('mounted without need');
};

describe('PMUs', () => {
  const sources = readEventSources({ sysfs: folderOf(SYSFS) });

  it('PMUs are the folders that have a type, with their files as maps', () => {
    const drawn = sources.pmus.map(({ name, type, formats, events, caps, cpumask, cpus }) => ({
      name,
      type,
      formats: Object.fromEntries(formats),
      events: Object.fromEntries(events),
      caps: Object.fromEntries(caps),
      cpumask,
      cpus,
    }));
    const nothing = { formats: {}, events: {}, caps: {}, cpumask: null, cpus: null };
    expect(drawn).toEqual([
      {
        ...nothing,
        name: 'cpu',
        type: 4,
        formats: { event: 'config:0-7,32-35', umask: 'config:8-15' },
        events: { 'cpu-cycles': 'event=0x76' },
        caps: { max_precise: '3' },
      },
      { ...nothing, name: 'idle', type: 21, cpumask: '' },
      {
        ...nothing,
        name: 'power',
        type: 20,
        formats: { event: 'config:0-7' },
        events: { 'energy-pkg': 'event=0x02' },
        cpumask: '0,18',
      },
    ]);
  });

  it('PMUs name events', () => {
    const specs = parseEvents('energy-pkg,cpu/event=0x176,umask=2/,idle/config=1/', sources);
    expect(specs.map(({ name, type, config, cpus }) => [name, type, config, cpus])).toEqual([
      ['power/energy-pkg/', 20, 2n, [0, 18]],
      ['cpu/event=0x176,umask=2/', 4, 0x1_0000_0276n, null],
      ['idle/config=1/', 21, 1n, []],
    ]);
  });

  it('PMUs are absent without sysfs', () => {
    expect(readEventSources({ sysfs: folderOf({}) }).pmus).toEqual([]);
  });
});

describe('online CPUs', () => {
  it('online CPUs are as the kernel lists them', () => {
    expect(onlineCpus(folderOf(SYSFS))).toEqual([0, 1, 4]);
  });

  it('online CPUs come from /proc where there is no list', () => {
    expect(onlineCpus(folderOf({}))).toEqual(cpus().map((_, cpu) => cpu));
  });

  it('an unreadable list of CPUs is an error', () => {
    const sysfs = folderOf({ 'devices/system/cpu/online/': '' });
    expect(() => onlineCpus(sysfs)).toThrow(
      `cannot read which CPUs are online from ${sysfs}/devices/system/cpu/online: it is a directory`,
    );
  });

  it('-C of an offline CPU is refused', () => {
    expect(checkCpuOption(undefined, [0, 1, 4])).toEqual([0, 1, 4]);
    expect(checkCpuOption([4], [0, 1, 4])).toEqual([4]);
    expect(() => checkCpuOption([1, 2, 3], [0, 1, 4])).toThrow('-C: CPU 2-3 is not online here');
  });

  it('online CPUs on this machine are those of /proc/stat', () => {
    const stat = readFileSync('/proc/stat', 'utf8');
    expect(onlineCpus()).toEqual([...stat.matchAll(/^cpu(\d+) /gm)].map(([, cpu]) => Number(cpu)));
  });
});

describe('tracepoints', () => {
  const root = folderOf(TRACEFS);
  const place = { roots: [root], mount: noMount };
  const { tracepoints } = readEventSources({ tracefs: place });

  it('tracepoints are the folders of tracefs', () => {
    expect(tracepoints.isReadable()).toBe(true);
    expect(tracepoints.systems()).toEqual(['sched']);
    expect(tracepoints.events('sched')).toEqual(['sched_switch', 'sched_wakeup']);
    expect(tracepoints.events('block')).toEqual([]);
    expect(tracepoints.id('sched', 'sched_wakeup')).toBe(319);
    expect(tracepoints.id('sched', 'nothing')).toBeNull();
    expect(tracepoints.id('block', 'sched_wakeup')).toBeNull();
  });

  it('tracepoints have an id: what only ftrace itself writes is not listed', () => {
    const folder = folderOf({
      'events/ftrace/bprint/format': 'name: bprint\nID: 6\n',
      'events/ftrace/function/format': 'name: function\nID: 1\n',
      'events/ftrace/function/id': '1\n',
    });
    const sources = readEventSources({ tracefs: { roots: [folder], mount: noMount } });
    expect(sources.tracepoints.events('ftrace')).toEqual(['function']);
  });

  it('tracepoints are not looked for outside of tracefs', () => {
    writeFileSync(join(root, 'id'), '1\n');
    expect(tracepoints.id('..', 'events/..')).toBeNull();
    expect(tracepoints.id('..', '..')).toBeNull();
    expect(tracepoints.events('..')).toEqual([]);
  });

  it('tracepoints give the formats that a file stores, each once', () => {
    const specs = parseEvents('sched:sched_wakeup,cs,sched:*', { pmus: [], tracepoints });
    expect(readFormatTexts(specs, place)).toEqual({
      headerPage: 'field: u64 timestamp;\n',
      headerEvent: '# compressed entry header\n',
      formats: [
        { system: 'sched', event: 'sched_wakeup', text: 'name: sched_wakeup\nID: 319\n' },
        { system: 'sched', event: 'sched_switch', text: 'name: sched_switch\nID: 316\n' },
      ],
    });
  });

  it('tracepoints are found at the second place if the first is not mounted', () => {
    const places = { roots: [folderOf({}), root], mount: noMount };
    expect(readEventSources({ tracefs: places }).tracepoints.systems()).toEqual(['sched']);
  });

  it.skipIf(process.getuid?.() !== 0)('tracepoints are those of this kernel', () => {
    const real = readEventSources();
    const id = real.tracepoints.id('sched', 'sched_switch');
    const [format] = readFormatTexts(parseEvents('sched:sched_switch', real)).formats;
    expect(format?.text).toContain(`\nID: ${id}\n`);
  });
});

describe('tracefs that is not mounted', () => {
  it('tracefs is mounted once, when a tracepoint is asked for', () => {
    const root = folderOf({});
    const mounted: string[] = [];
    const { tracepoints } = readEventSources({
      tracefs: {
        roots: [root, join(root, 'other')],
        mount(at) {
          mounted.push(at);
          for (const [path, text] of Object.entries(TRACEFS)) {
            mkdirSync(dirname(join(at, path)), { recursive: true });
            writeFileSync(join(at, path), text);
          }
          return true;
        },
      },
    });
    expect(tracepoints.isReadable()).toBe(false);
    expect(mounted).toEqual([]);
    expect(tracepoints.id('sched', 'sched_switch')).toBe(316);
    expect(tracepoints.systems()).toEqual(['sched']);
    expect(mounted).toEqual([root]);
  });

  it('tracefs that cannot be mounted is an error with the command to run', () => {
    const root = folderOf({});
    const { tracepoints } = readEventSources({ tracefs: { roots: [root], mount: () => false } });
    expect(failureOf(() => tracepoints.id('sched', 'sched_switch'))).toEqual([
      `tracepoints can't be found: tracefs is not mounted at ${root}`,
      `sudo mount -t tracefs nodev ${root}`,
    ]);
  });

  it('a kernel without tracefs is another error', () => {
    const root = join(folderOf({}), 'tracing');
    const { tracepoints } = readEventSources({ tracefs: { roots: [root], mount: noMount } });
    expect(failureOf(() => tracepoints.systems())).toEqual([
      `this kernel has no tracepoints: ${root} does not exist`,
    ]);
  });
});

describe.skipIf(process.getuid?.() !== 0)('for a user without permission', () => {
  const NOBODY = 65534;
  /** Node refuses where io_uring may be in use, as in Debian 13's. */
  const canChangeUser = (() => {
    try {
      process.seteuid?.(0);
      return true;
    } catch {
      return false;
    }
  })();

  /** Runs `body` with the rights of nobody. */
  function asNobody<T>(body: () => T): T {
    process.seteuid?.(NOBODY);
    try {
      return body();
    } finally {
      process.seteuid?.(0);
    }
  }

  it.skipIf(!canChangeUser)('unreadable tracepoints are reported as such', () => {
    // The scratch folder belongs to root alone, as tracefs does.
    const root = folderOf(TRACEFS);
    const { tracepoints } = readEventSources({ tracefs: { roots: [root], mount: noMount } });
    const permission = [
      `tracepoints can't be used: no permission to read ${root}/events`,
      ...asRootLines(asNobody(readRunPlace)),
      'or let your group read them: sudo mount -o remount,mode=750,gid=$(id -g) /sys/kernel/tracing',
    ];
    expect(asNobody(() => tracepoints.isReadable())).toBe(false);
    expect(asNobody(() => failureOf(() => tracepoints.id('sched', 'x')))).toEqual(permission);
    expect(asNobody(() => failureOf(() => tracepoints.systems()))).toEqual(permission);
    expect(readdirSync(root)).toEqual(['events']);
  });

  it.skipIf(!canChangeUser)('the events of PMUs can be read all the same', () => {
    const names = readEventSources().pmus.map(({ name }) => name);
    const readable = asNobody(() => readEventSources().pmus.map(({ name }) => name));
    expect(readable).toEqual(names);
    expect(names).toContain('software');
  });
});

/** Message and hints of the FailedError that `body` throws. */
function failureOf(body: () => unknown): string[] {
  try {
    body();
  } catch (error) {
    if (error instanceof FailedError) return [error.message, ...error.hints];
    throw error;
  }
  throw new Error('nothing was thrown');
}
