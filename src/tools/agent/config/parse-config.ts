import { hostname } from 'node:os';
import { UsageError } from '../../../base/errors.ts';
import { isJsonObject } from '../../../base/foreign-json.ts';
import type { CallGraph } from '../../../options/call-graph.ts';
import type {
  AgentConfig,
  SampleLabel,
  SamplingConfig,
  ServiceConfig,
  ServiceRule,
  SinkConfig,
  SinkType,
  SpoolConfig,
} from './agent-config.ts';

const SINK_TYPES: readonly SinkType[] = [
  'pyroscope',
  'otlp',
  'parca',
  'coroot',
  'clickhouse',
  'folder',
];
const SAMPLE_LABELS: readonly SampleLabel[] = ['comm', 'pid', 'tid', 'cpu'];
const DEFAULT_HZ = 19;
const DEFAULT_WINDOW_S = 10;
const DEFAULT_JITTER = 0.2;
const DEFAULT_TIMEOUT_S = 30;
const DEFAULT_SPOOL_MIB = 256;
const MOST_SINKS = 8;
const MOST_LABELS = 16;
const MOST_RULES = 64;
/** One sample of a thousand. */
const LEAST_SHARE = 0.001;
/** Names that all sinks take; Pyroscope refuses whole profiles for others. */
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const SINK_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/**
 * The configuration in a JSON text. Every key is optional but `sinks`:
 *
 *     {
 *       "sampling": { "event": "cpu-clock", "hz": 19, "callGraph": "fp", "javascript": true },
 *       "window": { "seconds": 10, "jitter": 0.2 },
 *       "labels": { "env": "prod", "node": "$NODE_NAME" },
 *       "services": { "idle": false, "kernel": true, "sampleLabels": ["comm"], "except": ["ci-*"],
 *         "rules": [{ "service": "shop-*", "labels": { "team": "shop" }, "attach": true }, { "service": "*-batch", "share": 0.1 }] },
 *       "sinks": [{ "type": "pyroscope", "url": "https://pyroscope:4040", "user": "1234", "tokenFile": "/etc/perf-ts/token",
 *         "caFile": "/etc/perf-ts/ca.pem", "certFile": "/etc/perf-ts/agent.pem", "keyFile": "/etc/perf-ts/agent.key" }],
 *       "spool": { "directory": "/var/lib/perf-ts", "maxMiB": 256 },
 *       "listen": "127.0.0.1:9464", "listenTokenFile": "/etc/perf-ts/metrics-token"
 *     }
 *
 * A label that begins with `$` is that variable of the agent's environment; `host` is the machine's name where none is given.
 * `from` names the text in messages. Throws `UsageError` with the key that is wrong: an unknown key is an
 * error, since what it was meant to do would silently not be done.
 */
export function parseAgentConfig(text: string, from: string): AgentConfig {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${from}: not JSON: ${(error as Error).message}`);
  }
  return readAgentConfig(given, from);
}

/**
 * The same of a value with these keys: a configuration for `startAgent`, with what is not given.
 *
 * @example
 * ```ts
 * import { type AgentConfig, readAgentConfig } from 'perf-ts';
 *
 * const given = { sinks: [{ type: 'pyroscope', url: 'http://pyroscope:4040' }] };
 * const config: AgentConfig = readAgentConfig(given, 'agent.json');
 * console.log(config.sampling.hz, config.windowMs, config.sinks[0].target);
 * ```
 */
export function readAgentConfig(given: unknown, from: string): AgentConfig {
  const top = new Section(given, from, '');
  const sampling = readSampling(top.section('sampling'));
  const window = top.section('window');
  const windowMs = 1000 * window.number('seconds', DEFAULT_WINDOW_S, 1, 600);
  const jitter = window.number('jitter', DEFAULT_JITTER, 0, 0.5);
  const windowShare = window.number('share', 1, LEAST_SHARE, 1);
  window.end();
  const labels = { host: hostname(), ...readLabels(top.section('labels')) };
  const services = readServices(top.section('services'));
  const sinks = readSinks(top);
  const spool = readSpool(top.section('spool'));
  const listen = readListen(top);
  top.end();
  return { sampling, windowMs, jitter, windowShare, labels, services, sinks, spool, listen };
}

function readSampling(section: Section): SamplingConfig {
  const event = section.text('event', 'cpu-clock');
  const hz = section.number('hz', DEFAULT_HZ, 0.1, 10_000);
  const period = section.number('period', 0, 0, Number.MAX_SAFE_INTEGER);
  const isClock = /^(cpu|task)-clock(:|$)/.test(event);
  if (!isClock && period === 0) {
    throw section.wrong(
      'period',
      `${event} is no clock: at ${hz} Hz the kernel would adapt its period for minutes`,
      ['give a fixed one: "period": 10000000, events from sample to sample'],
    );
  }
  const callGraph = section.text('callGraph', 'fp') as CallGraph;
  if (callGraph !== 'fp' && callGraph !== 'none') {
    throw section.wrong('callGraph', 'expected "fp" or "none": nothing is copied and unwound here');
  }
  const cpus = section.numbers('cpus');
  const asksRegistered = section.flag('javascript', true);
  section.end();
  return { event, hz, period: period === 0 ? null : period, callGraph, cpus, asksRegistered };
}

function readServices(section: Section): ServiceConfig {
  const hasIdle = section.flag('idle', false);
  const hasKernel = section.flag('kernel', true);
  const sampleLabels = section.texts('sampleLabels', ['comm']) as SampleLabel[];
  for (const label of sampleLabels) {
    if (SAMPLE_LABELS.includes(label)) continue;
    throw section.wrong('sampleLabels', `expected some of ${SAMPLE_LABELS.join(', ')}`);
  }
  const only = section.texts('only', []);
  const except = section.texts('except', []);
  const rules = section.sections('rules').map(readRule);
  if (rules.length > MOST_RULES) throw section.wrong('rules', `more than ${MOST_RULES}`);
  section.end();
  return { hasIdle, hasKernel, sampleLabels, only, except, rules };
}

function readRule(section: Section): ServiceRule {
  const service = section.text('service', '');
  if (service === '')
    throw section.wrong('service', 'expected the name of services, such as shop-*');
  const labels = readLabels(section.section('labels'));
  const share = section.number('share', 1, LEAST_SHARE, 1);
  const attach = section.flag('attach', false);
  section.end();
  const isGiven = (key: string) => section.keys().includes(key);
  return {
    ...{ service, labels },
    share: isGiven('share') ? share : null,
    attach: isGiven('attach') ? attach : null,
  };
}

function readLabels(section: Section): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const name of section.keys()) {
    if (!LABEL_NAME.test(name) || name.startsWith('__')) {
      throw section.wrong(name, 'a label is letters, digits and _, and begins with no digit');
    }
    labels[name] = labelValue(section, name);
  }
  if (Object.keys(labels).length > MOST_LABELS) {
    throw section.wrong('', `more than ${MOST_LABELS} labels`);
  }
  section.end();
  return labels;
}

/** One configuration is for all machines: what differs comes from the environment. */
function labelValue(section: Section, name: string): string {
  const given = section.text(name, '');
  const variable = /^\$([A-Z_][A-Z0-9_]*)$/.exec(given)?.[1];
  const value = variable === undefined ? given : process.env[variable];
  if (value !== undefined) return value;
  throw section.wrong(name, `the environment has no variable ${variable}`, [
    'in a pod: env, valueFrom, fieldRef, fieldPath: spec.nodeName',
  ]);
}

function readSinks(top: Section): SinkConfig[] {
  const sinks = top.sections('sinks').map((section) => {
    const sink = readSink(section);
    section.end();
    return sink;
  });
  if (sinks.length === 0) {
    throw top.wrong('sinks', 'nothing says where the profiles go', [
      '"sinks": [{ "type": "folder", "path": "/var/lib/perf-ts/profiles" }]',
    ]);
  }
  if (sinks.length > MOST_SINKS) throw top.wrong('sinks', `more than ${MOST_SINKS}`);
  const names = sinks.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw top.wrong('sinks', `two are called ${twice}`, ['give one a "name" of its own']);
  }
  return sinks;
}

function readSink(section: Section): SinkConfig {
  const type = section.text('type', '') as SinkType;
  if (!SINK_TYPES.includes(type)) {
    throw section.wrong('type', `expected one of ${SINK_TYPES.join(', ')}`);
  }
  const name = section.text('name', type);
  if (!SINK_NAME.test(name)) {
    throw section.wrong('name', 'expected up to 40 lower-case letters, digits, - and _');
  }
  const target = type === 'folder' ? section.text('path', '') : section.text('url', '');
  if (type === 'folder' && !target.startsWith('/')) {
    throw section.wrong('path', 'expected an absolute path');
  }
  if (type !== 'folder') checkUrl(section, target, type);
  const tokenFile = section.text('tokenFile', '') || null;
  const tokenEnv = section.text('tokenEnv', '') || null;
  if (tokenFile !== null && tokenEnv !== null) {
    throw section.wrong('tokenEnv', 'there is a tokenFile as well: keep one of the two');
  }
  const tenant = section.text('tenant', '') || null;
  if (tenant !== null && (type !== 'pyroscope' || !/^[\x21-\x7e]{1,150}$/.test(tenant))) {
    throw section.wrong('tenant', 'expected printable characters, of a pyroscope sink');
  }
  const keepDays = section.number('keepDays', 0, 0, 36_500) || null;
  if (keepDays !== null && (type !== 'folder' || !Number.isInteger(keepDays))) {
    throw section.wrong('keepDays', 'expected a whole number, of a folder sink');
  }
  const timeoutMs = 1000 * section.number('timeoutSeconds', DEFAULT_TIMEOUT_S, 0.1, 600);
  const token = { tokenFile, tokenEnv, user: readUser(section, type, tokenFile ?? tokenEnv) };
  return { type, name, target, ...token, ...readTls(section, target), tenant, keepDays, timeoutMs };
}

function readUser(section: Section, type: SinkType, token: string | null): string | null {
  const user = section.text('user', '') || null;
  if (user === null) return null;
  if (type === 'folder' || type === 'clickhouse' || !/^[\x21-\x39\x3b-\x7e]{1,150}$/.test(user)) {
    throw section.wrong('user', 'expected printable characters without a colon, of a sink by HTTP');
  }
  if (token === null) {
    throw section.wrong('user', 'its password is missing', [
      '"tokenFile": "/etc/perf-ts/password"',
    ]);
  }
  return user;
}

function readTls(
  section: Section,
  target: string,
): Pick<SinkConfig, 'caFile' | 'certFile' | 'keyFile'> {
  const [caFile, certFile, keyFile] = ['caFile', 'certFile', 'keyFile'].map((key) => {
    const path = section.text(key, '') || null;
    if (path === null || (path.startsWith('/') && /^(?:https|clickhouses):/.test(target)))
      return path;
    throw section.wrong(key, 'expected an absolute path, of a sink whose url is by TLS');
  });
  if ((certFile === null) !== (keyFile === null)) {
    throw section.wrong(
      'certFile',
      'a certificate and its key come together: "certFile", "keyFile"',
    );
  }
  return { caFile, certFile, keyFile };
}

function checkUrl(section: Section, text: string, type: SinkType): void {
  const isClickHouse = type === 'clickhouse';
  const schemes = isClickHouse ? ['clickhouse:', 'clickhouses:'] : ['http:', 'https:'];
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    const shown = isClickHouse ? 'clickhouse://USER@host:8123/DATABASE' : 'http://pyroscope:4040';
    throw section.wrong('url', `expected an address such as ${shown}`);
  }
  if (!schemes.includes(url.protocol)) {
    const expected = schemes.map((scheme) => scheme.slice(0, -1)).join(' or ');
    throw section.wrong('url', `expected ${expected}, not ${url.protocol}`);
  }
  if ((url.username !== '' && !isClickHouse) || url.password !== '') {
    throw section.wrong('url', 'a password in it would be seen by who reads the configuration', [
      'put it into a file of its own: "tokenFile": "/etc/perf-ts/token"',
    ]);
  }
}

function readSpool(section: Section): SpoolConfig | null {
  const directory = section.text('directory', '');
  const maxMiB = section.number('maxMiB', DEFAULT_SPOOL_MIB, 1, 1 << 20);
  section.end();
  if (directory === '') return null;
  if (!directory.startsWith('/')) throw section.wrong('directory', 'expected an absolute path');
  return { directory, maxBytes: maxMiB * 2 ** 20 };
}

function readListen(top: Section): AgentConfig['listen'] {
  const text = top.text('listen', '');
  const tokenFile = top.text('listenTokenFile', '') || null;
  if (text === '') return null;
  const [, given, port] = /^(\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})$/.exec(text) ?? [];
  if (given === undefined || Number(port) > 65_535) {
    throw top.wrong('listen', 'expected an address such as 127.0.0.1:9464');
  }
  const host = given.replace(/^\[|\]$/g, '');
  if (tokenFile === null && !/^(?:127\.0\.0\.1|::1|localhost)$/.test(host)) {
    throw top.wrong('listen', `${host} is for others, who see names of services and sinks there`, [
      'a token for them: "listenTokenFile": "/etc/perf-ts/metrics-token"',
    ]);
  }
  return { host, port: Number(port), tokenFile };
}

/** An object of the configuration; each key is asked for once, and `end` refuses those that were not. */
class Section {
  readonly #given: Readonly<Record<string, unknown>>;
  readonly #from: string;
  readonly #path: string;
  readonly #asked = new Set<string>();

  constructor(given: unknown, from: string, path: string) {
    this.#from = from;
    this.#path = path;
    if (!isJsonObject(given)) throw this.wrong('', 'expected an object');
    this.#given = given;
  }

  keys(): string[] {
    return Object.keys(this.#given);
  }

  section(key: string): Section {
    return new Section(this.#take(key) ?? {}, this.#from, this.#pathOf(key));
  }

  sections(key: string): Section[] {
    const value = this.#take(key) ?? [];
    if (!Array.isArray(value)) throw this.wrong(key, 'expected a list');
    return value.map((given, at) => new Section(given, this.#from, `${this.#pathOf(key)}[${at}]`));
  }

  text(key: string, absent: string): string {
    const value = this.#take(key) ?? absent;
    if (typeof value !== 'string') throw this.wrong(key, 'expected a text');
    return value;
  }

  texts(key: string, absent: readonly string[]): readonly string[] {
    const value = this.#take(key) ?? absent;
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
    throw this.wrong(key, 'expected a list of texts');
  }

  numbers(key: string): readonly number[] | null {
    const value = this.#take(key) ?? null;
    if (value === null) return null;
    if (Array.isArray(value) && value.length > 0 && value.every(Number.isInteger)) return value;
    throw this.wrong(key, 'expected a list of whole numbers');
  }

  flag(key: string, absent: boolean): boolean {
    const value = this.#take(key) ?? absent;
    if (typeof value !== 'boolean') throw this.wrong(key, 'expected true or false');
    return value;
  }

  number(key: string, absent: number, least: number, most: number): number {
    const value = this.#take(key) ?? absent;
    if (typeof value !== 'number' || !(value >= least && value <= most)) {
      throw this.wrong(key, `expected a number from ${least} to ${most}`);
    }
    return value;
  }

  end(): void {
    const unknown = this.keys().find((key) => !this.#asked.has(key));
    if (unknown === undefined) return;
    const known = [...this.#asked].join(', ');
    throw this.wrong(unknown, 'there is no such setting', [`known here: ${known}`]);
  }

  wrong(key: string, why: string, hints: readonly string[] = []): UsageError {
    return new UsageError(`${this.#from}: ${this.#pathOf(key) || 'the whole'}: ${why}`, hints);
  }

  #take(key: string): unknown {
    this.#asked.add(key);
    return Object.hasOwn(this.#given, key) ? this.#given[key] : undefined;
  }

  #pathOf(key: string): string {
    return [this.#path, key].filter((part) => part !== '').join('.');
  }
}
