import { bytesOfField, ProtoReader } from '../../../base/proto-reader.ts';
import { ProtoWriter } from '../../../base/proto-writer.ts';
import type { AgentConfig, SinkConfig } from '../config/agent-config.ts';
import type { EncodedProfile } from '../encode/encoded-window.ts';
import type { Service } from '../service/service.ts';
import { ClickHouseSink } from './clickhouse-sink.ts';
import { FolderSink } from './folder-sink.ts';
import { bearer, HttpSink, type Protocol } from './http-sink.ts';
import type { Sink, SinkAnswer } from './sink.ts';

/** Requests are kept below what servers take: 4 MB a second of a tenant in Pyroscope. */
const MOST_REQUEST = 3 << 20;

/** The sink that a configuration asks for. */
export function openSink(sink: SinkConfig, config: Pick<AgentConfig, 'labels' | 'sampling'>): Sink {
  const { labels } = config;
  const metric = metricOf(config.sampling.event);
  switch (sink.type) {
    case 'folder':
      return new FolderSink(sink.name, sink.target, sink.keepDays);
    case 'pyroscope':
      return new HttpSink(sink, pyroscope(labels, metric));
    case 'parca':
      return new HttpSink(sink, parca(labels, metric));
    case 'coroot':
      return new HttpSink(sink, coroot(labels));
    case 'otlp':
      return new HttpSink(sink, OTLP);
    case 'clickhouse':
      return new ClickHouseSink(sink);
  }
}

/** `__name__` of the series: what Pyroscope's own agents call time on the CPU. */
function metricOf(event: string): string {
  return /^(cpu|task)-clock/.test(event) ? 'process_cpu' : labelName(event);
}

/**
 * [push.v1](https://github.com/grafana/pyroscope/blob/main/api/push/v1/push.proto), a unary call of Connect
 * over HTTP:
 *
 *     message PushRequest      { repeated RawProfileSeries series = 1; }
 *     message RawProfileSeries { repeated types.v1.LabelPair labels = 1; repeated RawSample samples = 2; }
 *     message LabelPair        { string name = 1; string value = 2; }
 *     message RawSample        { bytes raw_profile = 1; string ID = 2; }
 */
function pyroscope(labels: AgentConfig['labels'], metric: string): Protocol {
  return {
    format: 'pprof',
    mostProfiles: 64,
    mostBytes: MOST_REQUEST,
    tokenHeader: bearer,
    encode: (profiles) => {
      const request = new ProtoWriter();
      for (const { id, service, bytes } of profiles) {
        if (service === null) continue;
        const series = new ProtoWriter();
        for (const [name, value] of sinkLabels(service, labels, metric)) {
          series.message(1, new ProtoWriter().text(1, name).text(2, value));
        }
        series.message(2, new ProtoWriter().bytes(1, bytes).text(2, id));
        request.message(1, series);
      }
      return {
        path: '/push.v1.PusherService/Push',
        headers: { 'content-type': 'application/proto', 'connect-protocol-version': '1' },
        body: request.finish(),
      };
    },
  };
}

/** Parca's `WriteRaw` through its gateway: JSON, with the profile in base64. */
function parca(labels: AgentConfig['labels'], metric: string): Protocol {
  return {
    format: 'pprof',
    mostProfiles: 32,
    mostBytes: MOST_REQUEST / 2,
    tokenHeader: bearer,
    encode: (profiles) => {
      const series = profiles.map(({ service, bytes }) => ({
        labels: {
          labels:
            service === null
              ? []
              : sinkLabels(service, labels, metric).map(([name, value]) => ({ name, value })),
        },
        samples: [{ rawProfile: Buffer.from(bytes).toString('base64') }],
      }));
      return {
        path: '/api/profiles/writeraw',
        headers: { 'content-type': 'application/json' },
        // Addresses are offsets in files.
        body: Buffer.from(JSON.stringify({ series, normalized: true })),
      };
    },
  };
}

/** Coroot's collector: a profile a request, its labels in the address, its key in `X-Api-Key`. */
function coroot(labels: AgentConfig['labels']): Protocol {
  return {
    format: 'pprof',
    mostProfiles: 1,
    mostBytes: MOST_REQUEST,
    tokenHeader: (token) => ['x-api-key', token],
    encode: ([profile]) => ({
      path: '/v1/profiles',
      query: corootQuery(profile, labels),
      headers: { 'content-type': 'application/octet-stream' },
      body: profile.bytes,
    }),
  };
}

function corootQuery(
  { service }: EncodedProfile,
  labels: AgentConfig['labels'],
): Record<string, string> {
  const { name, attributes } = service ?? { name: '', attributes: {} };
  return { ...attributes, ...labels, 'service.name': name };
}

/** OTLP's profiles, a signal in development: the path says so, and other versions have other fields. */
const OTLP: Protocol = {
  format: 'otlp',
  mostProfiles: 1,
  mostBytes: MOST_REQUEST,
  tokenHeader: bearer,
  encode: ([{ bytes }]) => ({
    path: '/v1development/profiles',
    headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' },
    body: bytes,
  }),
  judge: ({ body }) => judgePartialSuccess(body),
};

/**
 *     message ExportProfilesServiceResponse { ExportProfilesPartialSuccess partial_success = 1; }
 *     message ExportProfilesPartialSuccess  { int64 rejected_profiles = 1; string error_message = 2; }
 */
function judgePartialSuccess(body: Uint8Array): SinkAnswer | null {
  const [partial] = bytesOfField(body, 1);
  if (partial === undefined) return null;
  let rejected = 0;
  let why = 'no reason given';
  const reader = new ProtoReader(partial);
  while (reader.next()) {
    if (reader.field === 1) rejected = reader.value;
    else if (reader.field === 2) why = Buffer.from(reader.bytes).toString();
  }
  return rejected === 0 ? null : { kind: 'refused', why };
}

/** Limits that Pyroscope sets to a series. */
const MOST_LABELS = 30;

/**
 * The labels of a profile in stores whose labels are Prometheus's: names of letters, digits and `_`. The
 * labels of the configuration win over what a process says of itself; names that begin with `__` are the
 * store's own.
 */
export function sinkLabels(
  service: Service,
  labels: Readonly<Record<string, string>>,
  metric: string,
): readonly (readonly [name: string, value: string])[] {
  const named = new Map<string, string>([
    ['__name__', metric],
    ['service_name', service.name],
  ]);
  const add = (name: string, value: string): void => {
    if (named.size < MOST_LABELS && value !== '' && !named.has(name)) named.set(name, value);
  };
  for (const [name, value] of Object.entries(labels)) add(name, value);
  add('service_source', service.source);
  for (const [name, value] of Object.entries(service.attributes)) add(labelName(name), value);
  return [...named].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** `k8s.pod.name` as `k8s_pod_name`. */
export function labelName(attribute: string): string {
  const name = attribute.replace(/[^a-zA-Z0-9_]/g, '_').replace(/^(?=\d)/, '_');
  return name.startsWith('__') ? name.replace(/^_+/, '_') : name;
}
