import { gzipSync } from 'node:zlib';
import { NONE } from '../../../base/brand.ts';
import { printable } from '../../../base/printable.ts';
import { ProtoWriter } from '../../../base/proto-writer.ts';
import { finish } from '../../../base/slices.ts';
import { selectSamples } from '../../../profile/analysis/select/filter.ts';
import { RunningRound, sumSameSamples } from '../../../profile/analysis/summed-samples.ts';
import { funcLabel } from '../../../profile/func-label.ts';
import { isInlinedInCaller } from '../../../profile/inlined-frames.ts';
import type { Dso, Profile } from '../../../profile/types.ts';
import { packageVersion } from '../../../system/version.ts';
import { serviceKey } from '../service/service.ts';
import { halveProfile, type ServiceProfile } from '../window/service-profiles.ts';
import type { WindowFacts } from './encode-pprof.ts';
import { type EncodedProfile, uuidOf } from './encoded-window.ts';

/** Size up to which gRPC receivers take a request by default, uncompressed. */
const MOST_BYTES = 4 << 20;
const GZIP_LEVEL = 4;

export type OtlpOptions = {
  /** Attributes of every resource, beside those of its service. */
  readonly labels: Readonly<Record<string, string>>;
  readonly mostBytes?: number;
};

/**
 * Requests of OTLP's profiles, `opentelemetry.proto.profiles.v1development` of opentelemetry-proto 1.10 and
 * 1.11 (numbers of `Sample` changed with 1.10): a resource for each service of a window. One request, and
 * more where it would be larger than receivers take.
 */
export function encodeOtlp(
  services: readonly ServiceProfile[],
  window: WindowFacts,
  options: OtlpOptions,
): EncodedProfile[] {
  if (services.length === 0) return [];
  const { mostBytes = MOST_BYTES } = options;
  return requestsOf(services, window, options, mostBytes).map((bytes, row) => ({
    id: uuidOf(window.id, 'otlp', String(row)),
    service: null,
    bytes: gzipSync(bytes, { level: GZIP_LEVEL }),
  }));
}

function requestsOf(
  services: readonly ServiceProfile[],
  window: WindowFacts,
  options: OtlpOptions,
  mostBytes: number,
): Uint8Array[] {
  const bytes = encodeRequest(services, window, options);
  if (bytes.length <= mostBytes) return [bytes];
  const [only] = services;
  const isOne = services.length === 1;
  if (isOne && only.profile.samples.length < 2) return [bytes];
  const halves = isOne
    ? halveProfile(only).map((half) => [half])
    : [services.slice(0, services.length >> 1), services.slice(services.length >> 1)];
  return halves.flatMap((half) => requestsOf(half, window, options, mostBytes));
}

/** `message ProfilesData { repeated ResourceProfiles resource_profiles = 1; ProfilesDictionary dictionary = 2; }` */
function encodeRequest(
  services: readonly ServiceProfile[],
  window: WindowFacts,
  { labels }: OtlpOptions,
): Uint8Array {
  const request = new ProtoWriter();
  const dictionary = new Dictionary();
  services.forEach((part, row) => {
    const resource = new ProtoWriter();
    const { service } = part;
    const attributes = {
      ...service.attributes,
      ...labels,
      'service.name': service.name,
      'perf_ts.service.source': service.source,
    };
    for (const [name, value] of Object.entries(attributes)) {
      resource.message(1, keyValue(name, value));
    }
    const scope = new ProtoWriter().text(1, 'perf-ts').text(2, packageVersion());
    const id = uuidOf(window.id, serviceKey(service), 'otlp', String(row));
    const profile = encodeProfile(part, window, id, dictionary);
    request.message(
      1,
      new ProtoWriter()
        .message(1, resource)
        .message(2, new ProtoWriter().message(1, scope).message(2, profile)),
    );
  });
  return request.message(2, dictionary.finish()).finish();
}

/**
 *     message Profile { ValueType sample_type = 1; repeated Sample samples = 2; fixed64 time_unix_nano = 3;
 *                       uint64 duration_nano = 4; ValueType period_type = 5; int64 period = 6;
 *                       bytes profile_id = 7; …; repeated int32 attribute_indices = 11; }
 *     message Sample  { int32 stack_index = 1; repeated int32 attribute_indices = 2; int32 link_index = 3;
 *                       repeated int64 values = 4; repeated fixed64 timestamps_unix_nano = 5; }
 *
 * The value is the weight: receivers that were given counts would multiply them by the period.
 */
function encodeProfile(
  { profile, weights }: ServiceProfile,
  { startNs, endNs }: WindowFacts,
  id: string,
  dictionary: Dictionary,
): ProtoWriter {
  const [event] = profile.events;
  const isClock = event.mode === 'clock';
  const type = dictionary.valueType(isClock ? 'cpu' : event.name, weights.unit);
  const writer = new ProtoWriter().message(1, type);
  const tables = dictionary.tablesOf(profile);
  const { comm } = profile.samples;
  const rows = sumSameSamples(profile, weights, finish(selectSamples(profile)), { comm });
  const round = new RunningRound();
  for (let row = 0; row < rows.length; row++) {
    const name = profile.strings[rows.comm[row]] ?? '';
    const sample = new ProtoWriter()
      .int(1, tables.stack(rows.stack[row]))
      .packed(2, [dictionary.attribute('thread.name', name)])
      .packed(4, [round.next(rows.weight[row])]);
    writer.message(2, sample);
  }
  const period = profile.samples.periodEvents[0] ?? 1;
  return writer
    .fixed64(3, startNs)
    .int(4, endNs - startNs)
    .message(5, dictionary.valueType(isClock ? 'cpu' : event.name, weights.unit))
    .int(6, Math.max(1, Math.round(period)))
    .bytes(7, Buffer.from(id.replaceAll('-', ''), 'hex'));
}

/** `message KeyValue { string key = 1; AnyValue value = 2; }`, `AnyValue { string string_value = 1; … }` */
function keyValue(name: string, value: string): ProtoWriter {
  return new ProtoWriter()
    .text(1, printable(name))
    .message(2, new ProtoWriter().text(1, printable(value)));
}

/** Its name in OpenTelemetry's conventions. */
const BUILD_ID = 'process.executable.build_id.gnu';

/** Rows of the dictionary that a profile's tables stand for. */
type ProfileRows = { stack(row: number): number };

/**
 * The tables that all profiles of a request share; row 0 of each is the empty one.
 *
 *     message ProfilesDictionary { repeated Mapping mapping_table = 1; repeated Location location_table = 2;
 *       repeated Function function_table = 3; repeated Link link_table = 4; repeated string string_table = 5;
 *       repeated KeyValueAndUnit attribute_table = 6; repeated Stack stack_table = 7; }
 */
class Dictionary {
  readonly #strings = new Map<string, number>([['', 0]]);
  readonly #mappings = new Rows();
  readonly #locations = new Rows();
  readonly #functions = new Rows();
  readonly #attributes = new Rows();
  readonly #stacks = new Rows();

  text(value: string): number {
    const safe = printable(value);
    const known = this.#strings.get(safe);
    if (known !== undefined) return known;
    const row = this.#strings.size;
    this.#strings.set(safe, row);
    return row;
  }

  /** `message ValueType { int32 type_strindex = 1; int32 unit_strindex = 2; }` */
  valueType(type: string, unit: string): ProtoWriter {
    return new ProtoWriter().int(1, this.text(type)).int(2, this.text(unit));
  }

  /** `message KeyValueAndUnit { int32 key_strindex = 1; AnyValue value = 2; int32 unit_strindex = 3; }` */
  attribute(name: string, value: string): number {
    return this.#attributes.intern(`${name}\0${value}`, () =>
      new ProtoWriter()
        .int(1, this.text(name))
        .message(2, new ProtoWriter().text(1, printable(value))),
    );
  }

  tablesOf(profile: Profile): ProfileRows {
    const { stacks } = profile;
    return {
      stack: (row) => {
        const locations: number[] = [];
        for (let at = row; at !== NONE; at = stacks.prefix[at]) {
          const lines = [stacks.frame[at]];
          while (isInlinedInCaller(profile, at)) {
            at = stacks.prefix[at];
            lines.push(stacks.frame[at]);
          }
          locations.push(this.#location(profile, lines));
        }
        if (locations.length === 0) return 0;
        return this.#stacks.intern(locations.join(' '), () =>
          new ProtoWriter().packed(1, locations),
        );
      },
    };
  }

  /**
   * `message Location { int32 mapping_index = 1; uint64 address = 2; repeated Line lines = 3; … }`, a line for each function
   * there, the innermost of the inlined ones first: `message Line { int32 function_index = 1; int64 line = 2; }`
   */
  #location(profile: Profile, inlined: readonly number[]): number {
    const { frames, dsos } = profile;
    const [frame] = inlined;
    const dso = dsos[frames.dso[frame]];
    const mapping = dso === undefined ? 0 : this.#mapping(dso);
    const address = frames.address[frame];
    const lines = inlined.map((each) => ({
      func: this.#function(profile, frames.func[each]),
      line: Math.max(0, frames.line[each]),
    }));
    const key = lines.map(({ func, line }) => `${func} ${line}`).join(' ');
    return this.#locations.intern(`${mapping} ${address} ${key}`, () => {
      const location = new ProtoWriter()
        .int(1, mapping)
        .int(2, Number.isSafeInteger(address) ? BigInt(address) : 0n);
      for (const { func, line } of lines) {
        location.message(3, new ProtoWriter().int(1, func).int(2, line));
      }
      return location;
    });
  }

  /**
   * `message Function`: int32 name_strindex = 1, system_name_strindex = 2 and filename_strindex = 3,
   * int64 start_line = 4.
   */
  #function(profile: Profile, func: number): number {
    const { funcs, strings } = profile;
    const name = funcLabel(profile, func);
    const file = strings[funcs.file[func]] ?? '';
    const line = funcs.line[func];
    return this.#functions.intern(`${name}\0${file}\0${line}`, () =>
      new ProtoWriter()
        .int(1, this.text(name))
        .int(2, this.text(name))
        .int(3, this.text(file))
        .int(4, line),
    );
  }

  /**
   * `message Mapping`: uint64 memory_start = 1 and so on, int32 filename_strindex = 4,
   * repeated int32 attribute_indices = 5.
   */
  #mapping({ path, buildId }: Dso): number {
    return this.#mappings.intern(`${path}\0${buildId}`, () =>
      new ProtoWriter()
        .int(4, this.text(path))
        .packed(5, buildId === null ? [] : [this.attribute(BUILD_ID, buildId)]),
    );
  }

  finish(): ProtoWriter {
    const writer = new ProtoWriter();
    this.#mappings.write(writer, 1);
    this.#locations.write(writer, 2);
    this.#functions.write(writer, 3);
    writer.message(4, new ProtoWriter());
    for (const text of this.#strings.keys()) writer.text(5, text);
    this.#attributes.write(writer, 6);
    this.#stacks.write(writer, 7);
    return writer;
  }
}

/** The distinct rows of a table; 0 is the empty one. */
class Rows {
  readonly #rows = new Map<string, number>();
  readonly #messages: Uint8Array[] = [new Uint8Array()];

  intern(key: string, make: () => ProtoWriter): number {
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = this.#messages.push(make().finish()) - 1;
    this.#rows.set(key, row);
    return row;
  }

  write(writer: ProtoWriter, field: number): void {
    for (const message of this.#messages) writer.bytes(field, message);
  }
}
