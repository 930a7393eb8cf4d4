import { Profile as PprofProfile } from 'pprof-format';
import { describe, expect, test } from 'vitest';
import { mapInts } from '../../../src/base/int-column.ts';
import { printable } from '../../../src/base/printable.ts';
import { type PprofOptions, writePprof } from '../../../src/formats/export/pprof.ts';
import { ProfileBuilder } from '../../../src/profile/profile-builder.ts';
import type { EventIndex, Profile, WeightKind, Weights } from '../../../src/profile/types.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { HOSTILE_NAMES } from '../../helpers/hostile-names.ts';
import { EMPTY_META, profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';
import { withScripts } from '../../helpers/with-scripts.ts';

type Read = {
  readonly types: string[];
  /** `leaf<caller<root [values] comm thread pid tid cpu`, a line for each sample. */
  readonly samples: string[];
  readonly mappings: string[];
  /** `address mapping: function, function …`, by id. */
  readonly locations: string[];
  readonly comments: string[];
  readonly file: PprofProfile;
};

/** The exported profile as pprof's own message has it, ids followed. */
function exported(profile: Profile, weights: Weights, options: PprofOptions = {}): Read {
  checkProfile(profile);
  const pieces: Uint8Array[] = [];
  writePprof(profile, weights, options, (bytes) => pieces.push(bytes));
  const file = PprofProfile.decode(Buffer.concat(pieces));
  const text = (index: number | bigint) => {
    const found = file.stringTable.strings[Number(index)];
    if (found === undefined) throw new Error(`no string ${index}`);
    return found;
  };
  const byId = <T extends { id: number | bigint }>(rows: readonly T[], id: number | bigint): T => {
    const found = rows.find((row) => row.id === id);
    if (found === undefined) throw new Error(`nothing has id ${id}`);
    return found;
  };
  const hex = (value: number | bigint) => `0x${BigInt(value).toString(16)}`;
  const functionsAt = (id: number | bigint) =>
    byId(file.location, id).line.map(({ functionId }) =>
      text(byId(file.function, functionId).name),
    );
  expect(file.stringTable.strings[0]).toBe('');
  return {
    file,
    types: file.sampleType.map(({ type, unit }) => `${text(type)}/${text(unit)}`),
    samples: file.sample.map(({ locationId, value, label }) => {
      expect(value).toHaveLength(file.sampleType.length);
      const stack = locationId.flatMap(functionsAt).join('<');
      return `${stack} [${value.join(' ')}] ${label.map(({ str }) => text(str)).join(' ')}`;
    }),
    mappings: file.mapping.map(
      ({ memoryStart, memoryLimit, fileOffset, filename, buildId, hasFunctions }) =>
        `${hex(memoryStart)}-${hex(memoryLimit)} @${hex(fileOffset)} ${text(filename)} ` +
        `${text(buildId) || '-'}${hasFunctions ? ' named' : ''}`,
    ),
    locations: file.location.map(
      ({ id, address, mappingId }) =>
        `${hex(address)} ${mappingId === 0 ? '-' : text(byId(file.mapping, mappingId).filename)}: ` +
        functionsAt(id).join(', '),
    ),
    comments: file.comment.map(text),
  };
}

const kinds = (profile: Profile, kind: WeightKind = 'period') => simpleWeights(profile, kind);

describe('pprof', () => {
  test('samples that differ in time only are one; comm and thread tell them apart', () => {
    const profile = profileFromText(`
      comm    node  node  node  sh
      tid     10    10    11    11
      period  4     6     5     7
              main  main  main  main
              read  read  read  read
    `);
    const { types, samples, file } = exported(profile, kinds(profile));
    expect(types).toEqual(['samples/count', 'cycles/events']);
    expect(samples).toEqual([
      'read<main [2 10] node node 10 10 0',
      'read<main [1 5] node node 11 11 0',
      'read<main [1 7] sh node 11 11 0',
    ]);
    expect(file.durationNanos).toBe(3_000_000);
    const keys = file.sample[0].label.map(({ key }) => file.stringTable.strings[Number(key)]);
    expect(keys).toEqual(['comm', 'thread', 'pid', 'tid', 'cpu']);
  });

  test('a clock is CPU time; samples alone are one column; events have columns of their own', () => {
    const clock = profileFromText(`
      event   cpu-clock
      period  1000000
              main
    `);
    const asClock: Profile = {
      ...clock,
      events: [{ ...clock.events[0], mode: 'clock', fixedPeriod: 1_000_000, frequencyHz: null }],
    };
    const read = exported(asClock, kinds(asClock));
    expect(read.types).toEqual(['samples/count', 'cpu/nanoseconds']);
    expect(read.file.period).toBe(1_000_000);
    expect(read.comments).toContain('cpu-clock: a sample every 1000000 nanoseconds');
    expect(exported(clock, kinds(clock, 'samples')).types).toEqual(['samples/count']);

    const two = profileFromText(`
      event   cycles  page-faults
      period  100     3
              main    main
    `);
    const { types, samples } = exported(two, kinds(two));
    expect(types).toEqual([
      'cycles_samples/count',
      'cycles/events',
      'page-faults_samples/count',
      'page-faults/events',
    ]);
    expect(samples).toEqual(['main [1 100 0 0] app app 1 1 0', 'main [0 0 1 3] app app 1 1 0']);
    const one = exported(two, kinds(two), { select: { event: 1 } });
    expect(one.types).toEqual(['samples/count', 'page-faults/events']);
    expect(one.samples).toEqual(['main [1 3] app app 1 1 0']);
  });

  test('pprof: the default type is the weight of the first event with samples', () => {
    const profile = profileFromText(`
      event   cycles  page-faults
      period  100     3
              main    main
    `);
    const defaultOf = (of: Profile) => {
      const { file } = exported(of, kinds(of));
      return file.stringTable.strings[Number(file.defaultSampleType)];
    };
    expect(defaultOf(profile)).toBe('cycles');
    const silent = { ...profile.events[0], name: 'silent' };
    const shifted: Profile = {
      ...profile,
      events: [silent, ...profile.events],
      samples: { ...profile.samples, event: mapInts(profile.samples.event, (event) => event + 1) },
    };
    expect(defaultOf(shifted)).toBe('cycles');
  });

  test('no period stands for events whose samples have one each: waits, counts in a group', () => {
    const profile = profileFromText(`
      event   offcpu-time  instructions
      period  100          3
              main         main
    `);
    const each = { frequencyHz: null, fixedPeriod: null } as const;
    const [waits, counted] = profile.events;
    const events = [
      { ...waits, ...each, mode: 'clock' as const, unit: 'nanoseconds' as const },
      { ...counted, ...each, mode: 'period' as const },
    ];
    const { file, comments } = exported({ ...profile, events }, kinds(profile));
    expect(Number(file.period)).toBe(0);
    expect(comments.filter((comment) => /^(offcpu|instructions)/.test(comment))).toEqual([
      'offcpu-time: each sample recorded the nanoseconds that it stands for',
      'instructions: each sample recorded the events that it stands for',
    ]);
  });

  test('addresses are absolute where mappings are known, with the range, offset and build ID', () => {
    const builder = new ProfileBuilder();
    const place = (dso: number, address: number, name: string, prefix: number) => {
      const frame = builder.frames.intern(dso, address);
      builder.frames.setFunc(frame, builder.funcs.intern(builder.strings.intern(name), dso));
      return builder.stacks.intern(prefix, frame);
    };
    const main = place(0, 0x1500, 'main', -1);
    const kernel = place(1, -0x7eff_ff00, 'sys_read', place(2, 0x40, '[unknown]', main));
    builder.samples.add(kernel, 0, builder.strings.intern('app'), 0, -1, -1, 5, 1, Number.NaN);
    const { events } = profileFromText('main');
    const profile = builder.finish({
      meta: EMPTY_META,
      events,
      dsos: [
        { kind: 'user', name: 'app', path: '/usr/bin/app', buildId: 'abcdef01' },
        { kind: 'kernel', name: '[kernel.kallsyms]', path: '[kernel.kallsyms]', buildId: null },
        { kind: 'user', name: 'libx.so.1', path: '/usr/lib/libx.so.1', buildId: null },
      ],
      threads: [{ pid: 1, tid: 1, generation: 0, comm: 'app' }],
      streams: [],
      losses: [],
    });
    const mappings = [
      { dso: 1, start: -(2 ** 56), end: 0, first: -(2 ** 56) },
      { dso: 0, start: 0x5555_0000_0000, end: 0x5555_0000_1000, first: 0 },
      { dso: 0, start: 0x5555_0000_1000, end: 0x5555_0000_3000, first: 0x1000 },
      { dso: 0, start: 0x6666_0000_1000, end: 0x6666_0000_3000, first: 0x1000 },
      { dso: 1, start: -0x7f00_0000, end: -0x7e00_0000, first: -0x7f00_0000 },
    ];
    const read = exported(profile, kinds(profile), { mappings, startWallNs: 1_700_000_000n });
    expect(read.mappings).toEqual([
      '0x555500001000-0x555500003000 @0x1000 /usr/bin/app abcdef01 named',
      '0x0-0x41 @0x0 /usr/lib/libx.so.1 -',
      '0xffffffff81000000-0xffffffff82000000 @0x0 [kernel.kallsyms] - named',
    ]);
    expect(read.locations.toSorted()).toEqual([
      '0x40 /usr/lib/libx.so.1: [libx.so.1]',
      '0x555500001500 /usr/bin/app: main',
      '0xffffffff81000100 [kernel.kallsyms]: sys_read',
    ]);
    // The CPU was not recorded.
    expect(read.samples).toEqual(['sys_read<[libx.so.1]<main [1 1] app app 1 1']);
    expect(Number(read.file.timeNanos)).toBe(1_700_000_000);
  });

  test('functions inlined into another are lines of its location, the innermost first', () => {
    const builder = new ProfileBuilder();
    let stack = -1;
    for (const [depth, name] of ['outer', 'middle', 'inner'].entries()) {
      const frame = builder.frames.intern(0, 0x2000, depth);
      builder.frames.setFunc(frame, builder.funcs.intern(builder.strings.intern(name), 0));
      stack = builder.stacks.intern(stack, frame);
    }
    // Recursion at one address is two locations.
    stack = builder.stacks.intern(stack, builder.frames.intern(0, 0x2000, 0));
    builder.samples.add(stack, 0, builder.strings.intern('app'), 0, -1, 0, 0, 1, Number.NaN);
    const { events, threads, dsos } = profileFromText('main');
    const parts = { meta: EMPTY_META, events, threads, dsos, streams: [], losses: [] };
    const profile = builder.finish(parts);
    const { file, samples, locations } = exported(profile, kinds(profile));
    expect(locations.toSorted()).toEqual([
      '0x2000 /usr/lib/app: inner, middle, outer',
      '0x2000 /usr/lib/app: outer',
    ]);
    expect(file.sample[0].locationId).toHaveLength(2);
    expect(samples).toEqual(['outer<inner<middle<outer [1 1] app app 1 1 0']);
  });

  test('JavaScript has the file and line where a function begins', () => {
    const profile = withScripts(
      profileFromText(`
      main
      JS:*fib /srv/fib.js:3:13@[JIT] tid 1
    `),
    );
    const { file } = exported(profile, kinds(profile));
    const drawn = file.function.map(({ name, filename, startLine }) => [
      ...[name, filename].map((index) => file.stringTable.strings[Number(index)]),
      startLine,
    ]);
    expect(drawn.toSorted()).toEqual([
      ['fib /srv/fib.js:3', '/srv/fib.js', 3],
      ['main', '', 0],
    ]);
  });

  test('pprof: [lost] has weight and no samples; comments give the number', () => {
    const losses = [{ event: 0 as EventIndex, lostRecords: 3, lostSamples: 4 }];
    const profile = profileFromText(
      `
        main  main
      `,
      { notes: ['cycles: not counted here, recording cpu-clock instead'] },
      losses,
    );
    const weights: Weights = {
      kind: 'events',
      unit: 'events',
      values: Float64Array.of(10, 20),
      lostBefore: Float64Array.of(0, 40),
    };
    const { samples, comments, locations } = exported(profile, weights);
    expect(samples).toEqual(['main [2 30] app app 1 1 0', '[lost] [0 40] app app 1 1 0']);
    expect(locations).toContain('0x0 -: [lost]');
    const named = exported(profileFromText('[lost]', {}, losses), weights).locations;
    expect(named.filter((location) => location.endsWith(': [lost]'))).toHaveLength(1);
    expect(named[0]).toMatch(/^0x[1-9a-f].* [^-].*: \[lost\]$/);
    expect(comments).toEqual([
      "weight: events (counted since the stream's previous sample)",
      'cycles: the kernel adapted the period, aiming for 4000 Hz',
      'cycles: 66.7% of the samples (4) were lost',
      'cycles: not counted here, recording cpu-clock instead',
    ]);
  });

  test('weights that are not whole sum to the rounded sum', () => {
    const profile = profileFromText(`
      tid  1     2     3     4     5     6     7
           main  main  main  main  main  main  main
    `);
    const values = new Float64Array(7).fill(10 / 7);
    const { file } = exported(profile, { kind: 'events', unit: 'events', values });
    const written = file.sample.map(({ value }) => Number(value[1]));
    expect(written.reduce((a, b) => a + b)).toBe(10);
    expect(new Set(written)).toEqual(new Set([1, 2]));
  });

  test('more samples than one piece holds, a sample without a stack, and none at all', () => {
    const builder = new ProfileBuilder();
    const app = builder.strings.intern('app');
    for (let i = 0; i < 9_000; i++) {
      const stack = builder.stacks.intern(-1, builder.frames.intern(-1, i));
      builder.samples.add(i === 7 ? -1 : stack, 0, app, 0, -1, 0, i, 2, Number.NaN);
    }
    const { events, threads, dsos } = profileFromText('main');
    const parts = { meta: EMPTY_META, events, threads, dsos, streams: [], losses: [] };
    const profile = builder.finish(parts);
    const { file } = exported(profile, kinds(profile));
    expect(file.sample).toHaveLength(9_000);
    expect(file.sample[7].locationId).toEqual([]);
    expect(file.sample.every(({ value }) => value[1] === 2)).toBe(true);
    const none = profileFromText('');
    expect(exported(none, kinds(none)).samples).toEqual([]);
  });

  test('a pprof file begins with the types of its samples, by which it is known', () => {
    const profile = profileFromText('main');
    const pieces: Uint8Array[] = [];
    writePprof(profile, kinds(profile), {}, (bytes) => pieces.push(bytes));
    // Field 1, a message.
    expect(pieces[0][0]).toBe((1 << 3) | 2);
  });

  test('pprof escapes control characters of names', () => {
    for (const name of HOSTILE_NAMES) {
      const builder = new ProfileBuilder();
      const frame = builder.frames.intern(0, 1);
      builder.frames.setFunc(frame, builder.funcs.intern(builder.strings.intern(name), 0));
      const stack = builder.stacks.intern(-1, frame);
      builder.samples.add(stack, 0, builder.strings.intern(name), 0, -1, 0, 0, 1, Number.NaN);
      const [event] = profileFromText('main').events;
      const profile = builder.finish({
        meta: { ...EMPTY_META, notes: [name] },
        events: [{ ...event, name }],
        dsos: [{ kind: 'user', name, path: name, buildId: null }],
        threads: [{ pid: 1, tid: 1, generation: 0, comm: name }],
        streams: [],
        losses: [],
      });
      const { file, samples } = exported(profile, kinds(profile));
      expect(samples).toHaveLength(1);
      for (const text of file.stringTable.strings) expect(printable(text)).toBe(text);
    }
  });
});

test('the program is the first mapping also where no frame of its own is left', () => {
  const profile = profileFromText(`
    main@libc.so.6  main@libc.so.6
    read@libc.so.6  write@libc.so.6
  `);
  const [first] = profile.dsos;
  const dsos = [...profile.dsos, { ...first, kind: 'user', name: 'node', path: '/usr/bin/node' }];
  const { mappings } = exported({ ...profile, dsos } as Profile, simpleWeights(profile));
  expect(mappings[0]).toMatch(/ \/usr\/bin\/node .* named$/);
});
