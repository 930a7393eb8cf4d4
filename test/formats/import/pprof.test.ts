import { gunzipSync } from 'node:zlib';
import { Profile as PprofFormat } from 'pprof-format';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { ProtoWriter } from '../../../src/base/proto-writer.ts';
import { writePprof } from '../../../src/formats/export/pprof.ts';
import { scriptFunction } from '../../../src/formats/import/call-frame.ts';
import { detectText } from '../../../src/formats/import/detect-text.ts';
import { importPprof } from '../../../src/formats/import/pprof.ts';
import { funcLabel } from '../../../src/profile/func-label.ts';
import type { Profile } from '../../../src/profile/types.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { hasCorpora, readCorpus } from '../../helpers/corpora.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';

type Place = {
  readonly address?: number;
  readonly mapping?: number;
  /** Functions, the innermost of the inlined ones first: `name file:line`. */
  readonly lines: readonly string[];
};
type Drawn = {
  readonly types: readonly string[];
  readonly places: readonly Place[];
  readonly samples: readonly {
    readonly places: readonly number[];
    readonly values: readonly (number | bigint)[];
    readonly labels?: Readonly<Record<string, string | number>>;
  }[];
  readonly mapping?: string;
  readonly defaultType?: string;
};

/** A message of these, field by field. */
function messageOf({ types, places, samples, mapping, defaultType }: Drawn): Uint8Array {
  const strings = [''];
  const row = (text: string): number => {
    const known = strings.indexOf(text);
    return known >= 0 ? known : strings.push(text) - 1;
  };
  const writer = new ProtoWriter();
  for (const type of types) {
    const [name, unit] = type.split('/');
    writer.begin(1).int(1, row(name)).int(2, row(unit)).end();
  }
  for (const { places: ids, values, labels = {} } of samples) {
    writer.begin(2);
    for (const id of ids) writer.int(1, id);
    writer.begin(2);
    for (const value of values) writer.element(value);
    writer.end();
    for (const [key, value] of Object.entries(labels)) {
      writer.begin(3).int(1, row(key));
      if (typeof value === 'string') writer.int(2, row(value)).end();
      else writer.int(3, value).end();
    }
    writer.end();
  }
  if (mapping !== undefined) writer.begin(3).int(1, 1).int(5, row(mapping)).end();
  const functions: string[] = [];
  for (const [index, { address = 0, mapping: of = 0, lines }] of places.entries()) {
    writer
      .begin(4)
      .int(1, index + 1)
      .int(2, of)
      .int(3, address);
    for (const line of lines) {
      const [, number = '0'] = /:(\d+)$/.exec(line) ?? [];
      writer.begin(4).int(1, functions.push(line)).int(2, Number(number)).end();
    }
    writer.end();
  }
  for (const [index, text] of functions.entries()) {
    const [name, file = ''] = text.replace(/:\d+$/, '').split(' ');
    writer
      .begin(5)
      .int(1, index + 1)
      .int(2, row(name))
      .int(4, row(file))
      .end();
  }
  for (const text of strings) writer.text(6, text);
  if (defaultType !== undefined) writer.int(14, strings.indexOf(defaultType));
  return writer.finish();
}

function imported(bytes: Uint8Array): Profile {
  expect(detectText(bytes)).toBe('pprof');
  const { profile } = importPprof(memorySource(bytes));
  checkProfile(profile);
  return profile;
}

/** `comm event period stack` of each sample. */
function lines(profile: Profile): string[] {
  const { samples, events, strings, stacks, frames } = profile;
  const paths: string[] = [];
  for (let row = 0; row < stacks.length; row++) {
    const label = funcLabel(profile, frames.func[stacks.frame[row]]);
    paths.push(stacks.prefix[row] < 0 ? label : `${paths[stacks.prefix[row]]};${label}`);
  }
  return Array.from({ length: samples.length }, (_, i) =>
    [
      strings[samples.comm[i]],
      events[samples.event[i]].name,
      samples.periodEvents[i],
      paths[samples.stack[i]] ?? '',
    ].join(' '),
  );
}

const MAIN = { lines: ['main /src/app.c:3'], mapping: 1, address: 0x401000 };
const INLINED = {
  lines: ['min /src/min.h:9', 'work /src/app.c:20'],
  mapping: 1,
  address: 0x401100,
};
const ONE = {
  types: ['samples/count', 'cpu/nanoseconds'],
  places: [MAIN, INLINED],
  mapping: '/bin/app',
};

test('each sample type of a pprof file is an event, the last one first where none is the default', () => {
  const profile = imported(
    messageOf({
      ...ONE,
      samples: [
        { places: [2, 1], values: [3, 30] },
        { places: [1], values: [1, 0] },
      ],
    }),
  );
  expect(profile.events.map(({ name, unit }) => `${name} ${unit}`)).toEqual([
    'cpu nanoseconds',
    'samples events',
  ]);
  expect(lines(profile)).toEqual([
    'app samples 3 main;work;min',
    'app cpu 30 main;work;min',
    'app samples 1 main',
  ]);
  expect(profile.dsos.map(({ path }) => path)).toEqual(['/bin/app']);
});

test('the default sample type of a pprof file is its first event, and units of time become nanoseconds', () => {
  const profile = imported(
    messageOf({
      types: ['wall/milliseconds', 'alloc/bytes'],
      places: [MAIN],
      samples: [{ places: [1], values: [2, 512] }],
      defaultType: 'wall',
    }),
  );
  expect(profile.events.map(({ name, unit }) => [name, unit])).toEqual([
    ['wall', 'nanoseconds'],
    ['alloc', 'bytes'],
  ]);
  expect(lines(profile)).toEqual(['pprof wall 2000000 main', 'pprof alloc 512 main']);
});

test('functions of one pprof location are inlined into the last of them, each on its line', () => {
  const { frames, strings } = imported(
    messageOf({ ...ONE, samples: [{ places: [2], values: [1, 0] }] }),
  );
  const places = Array.from({ length: frames.length }, (_, row) => [
    frames.inlineDepth[row],
    strings[frames.file[row]],
    frames.line[row],
  ]);
  expect(places).toEqual([
    [0, '/src/app.c', 20],
    [1, '/src/min.h', 9],
  ]);
});

test('the label of a thread in a pprof file names it, other labels stand for one', () => {
  const values = [1, 0];
  const profile = imported(
    messageOf({
      ...ONE,
      samples: [
        { places: [1], values, labels: { 'thread name': 'worker', pid: '12', tid: 17 } },
        { places: [1], values, labels: { route: '/cart', status: 200 } },
      ],
    }),
  );
  expect(lines(profile)).toEqual([
    'worker samples 1 main',
    'route=/cart status=200 samples 1 main',
  ]);
  expect(profile.threads[0]).toMatchObject({ pid: 12, tid: 17, comm: 'worker' });
});

test('code of a pprof file without a function goes by its mapping', () => {
  const bare = { lines: [], mapping: 1, address: 0x401234 };
  const profile = imported(
    messageOf({ ...ONE, places: [bare], samples: [{ places: [1], values: [1, 0] }] }),
  );
  expect(lines(profile)).toEqual(['app samples 1 [app]']);
});

describe('what is bad in a pprof file is left out, counted and told', () => {
  const notesOf = (bytes: Uint8Array) => imported(bytes).meta.notes;

  test('a sample whose values are not one for each type', () => {
    const bytes = messageOf({
      ...ONE,
      samples: [
        { places: [1], values: [1] },
        { places: [1], values: [1, 2] },
      ],
    });
    expect(lines(imported(bytes))).toEqual(['app samples 1 main', 'app cpu 2 main']);
    expect(notesOf(bytes)).toContain('1 line was not understood and left out, first: sample 1');
  });

  test('a value below zero, and a place that is not there', () => {
    const bytes = messageOf({ ...ONE, samples: [{ places: [9, 1], values: [-5n, 7] }] });
    expect(lines(imported(bytes))).toEqual(['app cpu 7 main']);
    expect(notesOf(bytes)).toEqual(
      expect.arrayContaining([
        '1 values below zero, as of a difference, were left out',
        '1 frames at places that the file has not were left out',
      ]),
    );
  });

  test('the rest of a file that was cut', () => {
    const whole = messageOf({ ...ONE, samples: [{ places: [1], values: [1, 2] }] });
    const notes = notesOf(whole.subarray(0, whole.length - 3));
    expect(notes).toContain('the file is damaged or cut: what lies before that is read');
  });
});

test('an export to pprof is read back with its events, threads, weights and stacks', () => {
  const profile = profileFromText(`
    main main main
    work work idle
    min
  `);
  const parts: Uint8Array[] = [];
  writePprof(profile, simpleWeights(profile), {}, (bytes) => parts.push(bytes.slice()));
  const again = imported(Buffer.concat(parts));
  const stacksOf = (of: Profile, event: string) =>
    lines(of)
      .filter((line) => line.split(' ')[1] === event)
      .map((line) => line.split(' ')[3])
      .sort();
  expect(again.events.map(({ name }) => name)).toContain('samples');
  expect(stacksOf(again, 'samples')).toEqual(stacksOf(profile, profile.events[0].name));
});

describe.skipIf(!hasCorpora)('pprof files of other projects', () => {
  test.each(['fib', 'labels', 'profile1', 'single-stack', 'two-stacks'])(
    '%s: as many samples, and the sums of each type, as by the decoder of pprof-format',
    (name) => {
      const bytes = gunzipSync(readCorpus(`parca-dev+parca/${name}.pb.gz`));
      const profile = imported(bytes);
      const decoded = PprofFormat.decode(bytes);
      const sums = new Map<string, number>();
      for (const { value } of decoded.sample) {
        for (const [column, { type }] of decoded.sampleType.entries()) {
          const key = decoded.stringTable.strings[Number(type)];
          sums.set(key, (sums.get(key) ?? 0) + Number(value[column]));
        }
      }
      const { samples, events } = profile;
      const found = new Map(events.map(({ name: event }) => [event, 0]));
      for (let i = 0; i < samples.length; i++) {
        const event = events[samples.event[i]].name;
        found.set(event, (found.get(event) ?? 0) + samples.periodEvents[i]);
      }
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(sums));
    },
  );
});

test('a function of a script that an export named by its place, too, has the place once', () => {
  expect(scriptFunction('handle src/server.ts:12', '/srv/src/server.ts', 12, 0)).toBe(
    'JS:handle /srv/src/server.ts:12:0',
  );
  expect(scriptFunction('handle', '/srv/src/server.ts', 12, 0)).toBe(
    'JS:handle /srv/src/server.ts:12:0',
  );
});
