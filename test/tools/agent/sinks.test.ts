import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Profile as Pprof } from 'pprof-format';
import { describe, expect, it } from 'vitest';
import { ProfileBuilder } from '../../../src/profile/profile-builder.ts';
import type { Weights } from '../../../src/profile/types.ts';
import { placeFrame } from '../../../src/read/jit/place-frame.ts';
import type { SinkConfig, SinkType } from '../../../src/tools/agent/config/agent-config.ts';
import { encodePprof } from '../../../src/tools/agent/encode/encode-pprof.ts';
import type {
  EncodedWindow,
  WindowFormat,
} from '../../../src/tools/agent/encode/encoded-window.ts';
import { encodeOtlp } from '../../../src/tools/agent/encode/otlp-request.ts';
import { parseRetryAfter } from '../../../src/tools/agent/sinks/http-post.ts';
import { openSink } from '../../../src/tools/agent/sinks/protocols.ts';
import { divideWindow } from '../../../src/tools/agent/window/service-profiles.ts';
import { divided, drawnWindow, FACTS, NO_CREDENTIALS } from '../../helpers/agent-window.ts';
import { startFakeSink } from '../../helpers/fake-sink.ts';
import {
  decodeProtobuf,
  type Message,
  OTLP_REQUEST,
  PUSH_REQUEST,
  protobufBytes,
} from '../../helpers/protobuf.ts';
import { scratchDirectory } from '../../helpers/scratch.ts';

const windowOf = (format: WindowFormat): EncodedWindow => ({
  ...FACTS,
  format,
  profiles:
    format === 'otlp'
      ? encodeOtlp(divided().services, FACTS, { labels: { env: 'prod' } })
      : encodePprof(divided().services, FACTS),
});

const config = (type: SinkType, target: string, more: Partial<SinkConfig> = {}): SinkConfig => ({
  ...NO_CREDENTIALS,
  ...{ type, name: type, target, timeoutMs: 5000 },
  ...more,
});
const CONTEXT = {
  labels: { env: 'prod' },
  sampling: {
    event: 'cpu-clock',
    hz: 19,
    period: null,
    callGraph: 'fp',
    cpus: null,
    asksRegistered: true,
  },
} as const;

const weightOf = (bytes: Uint8Array): number => {
  const { sample } = Pprof.decode(gunzipSync(bytes));
  return sample.reduce((sum, { value }) => sum + Number(value[1]), 0);
};

describe('a window divided by service', () => {
  it('a divided window has each sample in one part or left out', () => {
    const { services, leftOut } = divided();
    expect(services.map(({ service, weights }) => [service.name, [...weights.values]])).toEqual([
      ['shop', [100, 20]],
      ['db', [3]],
    ]);
    expect(leftOut).toEqual({ idle: 1000, kernel: 0, service: 0 });
    const named = (drawn: Parameters<typeof divided>[0]) => {
      const some = divided(drawn);
      return [some.services.map(({ service }) => service.name), some.leftOut.service];
    };
    expect(named({ only: ['sh*'] })).toEqual([['shop'], 3]);
    expect(named({ except: ['shop'] })).toEqual([['db'], 120]);
    expect(named({ only: ['*'], except: ['d?'] })).toEqual([['shop'], 3]);
  });

  it('a service has the labels of all rules that its name matches, the later ones first', () => {
    const rules = [
      { service: '*', labels: { team: 'all', tier: 'web' }, share: null, attach: null },
      { service: 'd*', labels: { team: 'data' }, share: null, attach: null },
    ];
    const { services } = divided({ rules });
    expect(services.map(({ service }) => service.attributes)).toEqual([
      { 'service.version': '1', team: 'all', tier: 'web' },
      { 'service.version': '1', team: 'data', tier: 'web' },
    ]);
  });

  it('a rule sends a share of the samples of a service, which weigh as much as all', () => {
    const count = 4000;
    const { profile } = drawnWindow();
    const draw = (of: (row: number) => number) =>
      Float64Array.from({ length: count }, (_, row) => of(row));
    // Two threads take turns at each tick of a clock.
    const samples = {
      ...profile.samples,
      length: count,
      stack: new Int32Array(count),
      thread: Int32Array.from({ length: count }, (_, row) => row % 2),
      comm: new Int32Array(count),
      event: new Int32Array(count),
      stream: new Int32Array(count),
      cpu: new Int32Array(count),
      timeNs: draw((row) => 52_631_578 * row),
      periodEvents: draw(() => 52_631_578),
    };
    const weights = {
      kind: 'events',
      unit: 'nanoseconds',
      values: samples.periodEvents,
    } as Weights;
    const service = { name: 'shop', source: 'environment', attributes: {} } as const;
    const divideBy = (share: number, rows = count) =>
      divideWindow(
        { ...profile, samples: { ...samples, length: rows } },
        weights,
        [service, service],
        {
          ...{ hasIdle: false, hasKernel: true, sampleLabels: ['tid'], only: [], except: [] },
          rules: [{ service: 'shop', labels: {}, share, attach: null }],
        },
      ).services[0];
    const { profile: kept, weights: scaled } = divideBy(0.25);
    expect(Math.abs(kept.samples.length - count / 4)).toBeLessThan(90);
    expect(scaled.values.reduce((sum, weight) => sum + weight)).toBe(count * 52_631_578);
    expect(scaled.values.every(Number.isInteger)).toBe(true);
    const ofFirst = Array.from(kept.samples.thread).filter((thread) => thread === 0).length;
    expect(Math.abs(2 * ofFirst - kept.samples.length)).toBeLessThan(100);
    expect(divideBy(0.001, 1).weights.values).toEqual(Float64Array.of(52_631_578));
    expect(divideBy(1).profile.samples.length).toBe(count);
  });

  it('a divided window is a pprof file a service, with its times, weights and losses, and the same ids each time', () => {
    const [shop, db] = windowOf('pprof').profiles;
    expect([weightOf(shop.bytes), weightOf(db.bytes)]).toEqual([120, 3]);
    const decoded = Pprof.decode(gunzipSync(shop.bytes));
    const text = (row: unknown) => decoded.stringTable.strings[Number(row)];
    expect([decoded.timeNanos, decoded.durationNanos]).toEqual([FACTS.startNs, 10_000_000_000n]);
    expect(decoded.comment.map(text)).toContain('7 samples of the machine were lost');
    expect(decoded.sampleType.map(({ type, unit }) => [text(type), text(unit)])).toEqual([
      ['samples', 'count'],
      ['cpu', 'nanoseconds'],
    ]);
    const files = decoded.mapping.map(({ filename, buildId }) => [text(filename), text(buildId)]);
    expect(files).toEqual([['/bin/app', 'ab12']]);
    expect(windowOf('pprof').profiles.map(({ id }) => id)).toEqual([shop.id, db.id]);
  });

  it('a divided window is in more files where one would be too large, and the sum stays', () => {
    const parts = encodePprof(divided().services, FACTS, 10);
    expect(parts).toHaveLength(3);
    expect(parts.reduce((sum, { bytes }) => sum + weightOf(bytes), 0)).toBe(123);
    expect(new Set(parts.map(({ id }) => id)).size).toBe(3);
    const requests = encodeOtlp(divided().services, FACTS, { labels: {}, mostBytes: 10 });
    expect(requests).toHaveLength(3);
  });

  it('calls a function without a name by its file, in OTLP too', () => {
    const [shop] = divided().services;
    const strings = shop.profile.strings.map((text) => (text === 'score' ? '[unknown]' : text));
    const unnamed = { ...shop, profile: { ...shop.profile, strings } };
    const [{ bytes }] = encodeOtlp([unnamed], FACTS, { labels: {} });
    const [dictionary] = decodeProtobuf(gunzipSync(bytes), OTLP_REQUEST).dictionary as Message[];
    const texts = dictionary.strings as string[];
    const [, ...functions] = dictionary.functions as Message[];
    const names = functions.map(({ nameStrindex }) => texts[Number(nameStrindex[0])]);
    expect(names.sort()).toEqual(['[app]', 'main']);
  });

  it('a function that was inlined is a line of the location that it is in, the innermost first, in OTLP too', () => {
    const [shop] = divided().services;
    const builder = new ProfileBuilder();
    const { strings, funcs, frames } = builder;
    const frame = frames.intern(0, 0x20);
    frames.setFunc(frame, funcs.intern(strings.intern('score'), 0));
    const place = { file: '/a.js', line: 4, inlined: 'leaf' };
    placeFrame(builder, frame, place, true);
    const stack = builder.stacks.intern(-1, frame);
    builder.samples.add(stack, 0, strings.intern('node'), 0, -1, 0, 0, 50, Number.NaN);
    const weights = { ...shop.weights, values: Float64Array.of(5) };
    const one = { ...shop, profile: builder.finish(shop.profile), weights };
    const [{ bytes }] = encodeOtlp([one], FACTS, { labels: {} });
    const [dictionary] = decodeProtobuf(gunzipSync(bytes), OTLP_REQUEST).dictionary as Message[];
    const [, ...locations] = dictionary.locations as Message[];
    const nameOf = (row: unknown) => {
      const { nameStrindex } = (dictionary.functions as Message[])[Number(row)];
      return (dictionary.strings as string[])[Number(nameStrindex[0])];
    };
    const lines = locations.map((location) =>
      (location.lines as Message[]).map(({ functionIndex, line }) => [
        nameOf(functionIndex[0]),
        Number(line?.[0] ?? 0),
      ]),
    );
    expect(lines).toEqual([
      [
        ['leaf', 4],
        ['score', 0],
      ],
    ]);
  });

  it('a divided window is a request of OTLP by its own definition', () => {
    const [{ bytes }] = windowOf('otlp').profiles;
    const request = decodeProtobuf(gunzipSync(bytes), OTLP_REQUEST);
    const dictionary = request.dictionary[0] as Message;
    const strings = dictionary.strings as string[];
    const at = (table: string, row: unknown) => dictionary[table][Number(row)] as Message;
    expect(strings[0]).toBe('');
    for (const table of ['mappings', 'locations', 'functions', 'links', 'attributes', 'stacks']) {
      expect(dictionary[table][0], table).toEqual({});
    }
    const [attribute] = at('mappings', 1).attributeIndices as bigint[];
    const { keyStrindex, value } = at('attributes', attribute);
    expect([strings[Number(keyStrindex[0])], (value[0] as Message).stringValue[0]]).toEqual([
      'process.executable.build_id.gnu',
      'ab12',
    ]);
    const found = (request.resourceProfiles as Message[]).map(({ resource, scopeProfiles }) => {
      const attributes = (resource[0] as Message).attributes as Message[];
      const profile = (scopeProfiles[0] as Message).profiles[0] as Message;
      expect([profile.timeUnixNano, profile.durationNano]).toEqual([
        [FACTS.startNs],
        [10_000_000_000n],
      ]);
      expect([profile.period, (profile.profileId[0] as Buffer).length]).toEqual([[50n], 16]);
      return {
        attributes: Object.fromEntries(
          attributes.map(({ key, value }) => [key[0], (value[0] as Message).stringValue[0]]),
        ),
        samples: (profile.samples as Message[]).map(({ stackIndex, values }) => [
          ...at('stacks', stackIndex[0]).locationIndices.map((row) => {
            const line = at('locations', row).lines[0] as Message;
            return strings[Number(at('functions', line.functionIndex[0]).nameStrindex[0])];
          }),
          values[0],
        ]),
      };
    });
    expect(found).toEqual([
      {
        attributes: {
          'service.name': 'shop',
          'service.version': '1',
          env: 'prod',
          'perf_ts.service.source': 'environment',
        },
        samples: [
          ['score', 'main', 100n],
          ['main', 20n],
        ],
      },
      {
        attributes: {
          'service.name': 'db',
          'service.version': '1',
          env: 'prod',
          'perf_ts.service.source': 'environment',
        },
        samples: [['score', 'main', 3n]],
      },
    ]);
  });
});

describe('a sink', () => {
  it('a sink of Pyroscope gets its push request, with token and tenant in headers', async () => {
    const fake = await startFakeSink();
    const token = join(scratchDirectory(), 'token');
    writeFileSync(token, 's3cret\n');
    const sink = openSink(
      config('pyroscope', `${fake.url}/base/`, { tokenFile: token, tenant: 'team' }),
      CONTEXT,
    );
    const stamp = sink.tokenStamp?.();
    const window = windowOf('pprof');
    const [profiles, ...others] = sink.requestsOf(window);
    expect(others).toEqual([]);
    expect(await sink.send(profiles, window)).toEqual({ kind: 'taken' });
    expect(sink.tokenStamp?.()).toBe(stamp);
    writeFileSync(token, 'another\n');
    expect(sink.tokenStamp?.()).not.toBe(stamp);
    const [{ path, headers, body }] = fake.received;
    expect(path).toBe('/base/push.v1.PusherService/Push');
    expect(headers).toMatchObject({
      authorization: 'Bearer s3cret',
      'x-scope-orgid': 'team',
      'content-type': 'application/proto',
    });
    const series = decodeProtobuf(body, PUSH_REQUEST).series as Message[];
    expect(
      series.map(({ labels, samples }) => [
        Object.fromEntries((labels as Message[]).map(({ name, value }) => [name[0], value[0]])),
        weightOf((samples[0] as Message).rawProfile[0] as Buffer),
        (samples[0] as Message).id[0],
      ]),
    ).toEqual(
      ['shop', 'db'].map((name, row) => [
        {
          __name__: 'process_cpu',
          env: 'prod',
          service_name: name,
          service_source: 'environment',
          service_version: '1',
        },
        [120, 3][row],
        window.profiles[row].id,
      ]),
    );
  });

  it('a sink of Parca gets JSON, of Coroot the profile itself, of OTLP its request', async () => {
    const fake = await startFakeSink();
    process.env.PERF_TS_TEST_TOKEN = 'key';
    const more = { tokenEnv: 'PERF_TS_TEST_TOKEN' };
    for (const type of ['parca', 'coroot', 'otlp'] as const) {
      const sink = openSink(config(type, fake.url, more), CONTEXT);
      const window = windowOf(sink.format);
      for (const profiles of sink.requestsOf(window)) {
        expect(await sink.send(profiles, window), type).toEqual({ kind: 'taken' });
      }
    }
    const [parca, shop, db, otlp] = fake.received;
    expect(fake.received).toHaveLength(4);
    expect([parca.path, parca.headers.authorization]).toEqual([
      '/api/profiles/writeraw',
      'Bearer key',
    ]);
    const { series, normalized } = JSON.parse(parca.body.toString()) as {
      series: {
        labels: { labels: { name: string; value: string }[] };
        samples: { rawProfile: string }[];
      }[];
      normalized: boolean;
    };
    expect(normalized).toBe(true);
    expect(
      series.map(({ samples }) => weightOf(Buffer.from(samples[0].rawProfile, 'base64'))),
    ).toEqual([120, 3]);
    expect(series[1].labels.labels).toContainEqual({ name: 'service_name', value: 'db' });
    expect([shop.path, shop.headers['x-api-key'], shop.headers.authorization]).toEqual([
      '/v1/profiles',
      'key',
      undefined,
    ]);
    expect([shop, db].map(({ query }) => [query.get('service.name'), query.get('env')])).toEqual([
      ['shop', 'prod'],
      ['db', 'prod'],
    ]);
    expect(weightOf(shop.body)).toBe(120);
    expect([otlp.path, otlp.headers['content-encoding']]).toEqual([
      '/v1development/profiles',
      'gzip',
    ]);
    decodeProtobuf(gunzipSync(otlp.body), OTLP_REQUEST);
  });

  it('a sink that is a folder loses the half file of a killed agent of this machine, and no other', async () => {
    const folder = scratchDirectory();
    const { pid: ended } = spawnSync('true');
    const half = (host: string, pid: number) => `.half-${host}-${pid}`;
    const host = hostname().replace(/[^A-Za-z0-9._-]+/g, '_');
    for (const name of [half(host, ended), half(host, process.ppid), half('elsewhere.x', ended)]) {
      writeFileSync(join(folder, name), 'half');
    }
    const sink = openSink(config('folder', folder), CONTEXT);
    const window = windowOf('pprof');
    expect(await sink.send(window.profiles, window)).toEqual({ kind: 'taken' });
    const halves = readdirSync(folder).filter((name) => name.startsWith('.half'));
    expect(halves.sort()).toEqual([half('elsewhere.x', ended), half(host, process.ppid)].sort());
  });

  it('a sink that is a folder keeps the latest days that it was asked to, and the one that it writes', async () => {
    const folder = scratchDirectory();
    mkdirSync(join(folder, 'other'));
    const sink = openSink(config('folder', folder, { keepDays: 2 }), CONTEXT);
    const window = windowOf('pprof');
    const send = async (day: string) => {
      const startNs = BigInt(Date.parse(day)) * 1_000_000n;
      expect(await sink.send(window.profiles, { ...window, startNs })).toEqual({ kind: 'taken' });
      return readdirSync(folder).sort();
    };
    await send('2023-11-14');
    await send('2023-11-15');
    expect(await send('2023-11-16')).toEqual(['2023-11-15', '2023-11-16', 'other']);
    // A clock that was wrong costs one day.
    expect(await send('2093-01-01')).toEqual(['2023-11-16', '2093-01-01', 'other']);
    expect(await send('1970-01-01')).toEqual(['1970-01-01', '2093-01-01', 'other']);
  });

  it('a sink that is a folder has each profile once, under a name that is safe', async () => {
    const folder = scratchDirectory();
    const sink = openSink(config('folder', folder), CONTEXT);
    const window = windowOf('pprof');
    const profiles = window.profiles.map((profile) => ({
      ...profile,
      service: { ...profile.service!, name: `../${profile.service!.name}/x` },
    }));
    for (let i = 0; i < 2; i++)
      expect(await sink.send(profiles, window)).toEqual({ kind: 'taken' });
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => name.endsWith('.pb.gz'))).toHaveLength(2);
    expect(names).toContain('2023-11-14/__shop_x');
    const file = names.find((name) => /shop.*gz$/.test(name))!;
    expect(weightOf(readFileSync(join(folder, file)))).toBe(120);
  });

  it.each([
    [200, {}, 'taken', null],
    [429, { 'retry-after': '7' }, 'later', 7000],
    [503, {}, 'later', null],
    [500, {}, 'later', null],
    [401, {}, 'shut', null],
    [403, {}, 'shut', null],
    [404, {}, 'shut', null],
    [302, { location: 'http://elsewhere/' }, 'shut', null],
    [400, {}, 'refused', null],
    [413, {}, 'refused', null],
  ])('a sink that answers %d %j is understood as %s', async (status, headers, kind, afterMs) => {
    const fake = await startFakeSink((response) =>
      response.writeHead(status, headers).end('no\x1b[31m reason'),
    );
    const sink = openSink(config('pyroscope', fake.url), CONTEXT);
    const window = windowOf('pprof');
    const answer = await sink.send(window.profiles, window);
    expect(answer.kind).toBe(kind);
    if (answer.kind === 'later') expect(answer.afterMs).toBe(afterMs);
    if (answer.kind !== 'taken') expect(answer.why).toContain(`${status} no\\x1b[31m reason`);
    expect(fake.received).toHaveLength(1);
  });

  it('a sink that breaks off, hangs or is not there is tried later', async () => {
    const window = windowOf('pprof');
    const send = (url: string) =>
      openSink(config('pyroscope', url, { timeoutMs: 300 }), CONTEXT).send(window.profiles, window);
    const breaks = await startFakeSink((response) => response.socket?.destroy());
    expect(await send(breaks.url)).toMatchObject({
      kind: 'later',
      why: expect.stringMatching(/ \(ECONNRESET\)$|hang up$/),
    });
    const hangs = await startFakeSink(() => {});
    expect(await send(hangs.url)).toMatchObject({
      kind: 'later',
      why: expect.stringContaining('no answer within 0.3 s'),
    });
    hangs.close();
    expect(await send(hangs.url)).toMatchObject({
      kind: 'later',
      why: `${hangs.url}: nothing listens there (ECONNREFUSED)`,
    });
    // OpenSSL prints its own source file and a line there of a server without TLS.
    const plain = await startFakeSink();
    expect(await send(plain.url.replace('http:', 'https:'))).toMatchObject({
      kind: 'later',
      why: expect.stringMatching(/^https:\S+: it does not speak TLS as we do: .* \(EPROTO\)$/),
    });
    // The status is there, and half of the body: it was taken.
    const half = await startFakeSink((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.socket?.destroy());
    });
    expect(await send(half.url)).toEqual({ kind: 'taken' });
  });

  it('a request whose answer has begun is not sent again, and the next one takes its connection', async () => {
    const sockets = new Set<unknown>();
    const window = windowOf('pprof');
    const slow = await startFakeSink((response) => {
      response.writeHead(200).write('x');
    });
    const sink = openSink(config('pyroscope', slow.url, { timeoutMs: 100 }), CONTEXT);
    expect((await sink.send(window.profiles, window)).kind).toBe('taken');
    const quick = await startFakeSink((response) => {
      sockets.add(response.socket);
      response.writeHead(200).end('{}');
    });
    const other = openSink(config('pyroscope', quick.url), CONTEXT);
    for (let i = 0; i < 3; i++) await other.send(window.profiles, window);
    expect([sockets.size, quick.received.length]).toEqual([1, 3]);
  });

  it.skipIf(process.geteuid?.() !== 0)(
    'a folder into which somebody else may put links is refused',
    () => {
      const directory = scratchDirectory();
      chownSync(directory, 65_534, 65_534);
      expect(() => openSink(config('folder', directory), CONTEXT)).toThrow(
        'others may write into it',
      );
    },
  );

  it('a sink of OTLP that rejects a part reports it', async () => {
    const partial = Buffer.concat([Buffer.from([0x08, 0x02]), protobufBytes(2, 'no room')]);
    const fake = await startFakeSink((response) =>
      response.writeHead(200).end(protobufBytes(1, partial)),
    );
    const sink = openSink(config('otlp', fake.url), CONTEXT);
    const window = windowOf('otlp');
    expect(await sink.send(window.profiles, window)).toEqual({ kind: 'refused', why: 'no room' });
  });

  it('a sink without its token sends nothing, and does not repeat it', async () => {
    const fake = await startFakeSink();
    const window = windowOf('pprof');
    const sink = openSink(config('pyroscope', fake.url, { tokenFile: '/nowhere/token' }), CONTEXT);
    expect(await sink.send(window.profiles, window)).toMatchObject({ kind: 'shut' });
    process.env.PERF_TS_TEST_TOKEN = 'two\nlines';
    const other = openSink(
      config('pyroscope', fake.url, { tokenEnv: 'PERF_TS_TEST_TOKEN' }),
      CONTEXT,
    );
    const answer = await other.send(window.profiles, window);
    expect(answer).toMatchObject({ kind: 'shut' });
    expect(JSON.stringify(answer)).not.toContain('lines');
    expect(fake.received).toEqual([]);
  });

  it('a sink is asked again when it says, in seconds or by a date', () => {
    expect(parseRetryAfter('3', 0)).toBe(3000);
    expect(parseRetryAfter('Thu, 01 Jan 1970 00:00:10 GMT', 4000)).toBe(6000);
    expect(parseRetryAfter('soon', 0)).toBe(null);
  });
});
