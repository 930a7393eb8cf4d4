import type { CallGraph } from '../../../options/call-graph.ts';

/** The sampling: a clock at a rate, or any event with a fixed period. */
export type SamplingConfig = {
  /** Event in perf's syntax. Default `cpu-clock`. */
  readonly event: string;
  /** Samples a second and CPU of a clock. Default 19. */
  readonly hz: number;
  /** One sample every so many events; null: a clock at `hz`. */
  readonly period: number | null;
  /** Default `fp`. */
  readonly callGraph: CallGraph;
  /** Null: all that are online. */
  readonly cpus: readonly number[] | null;
  /**
   * Programs that import `perf-ts/register` are asked for their JavaScript. One recorder at a time hears it: false
   * leaves it to `perf-ts record -p`. Default true.
   */
  readonly asksRegistered: boolean;
};

/** Labels that a sample keeps; each distinct value is a series in some sinks. */
export type SampleLabel = 'comm' | 'pid' | 'tid' | 'cpu';

/** The services that get profiles, and the labels of their samples. */
export type ServiceConfig = {
  /** Also the time in which CPUs were idle, as a service `idle`. Default false: it is counted only. */
  readonly hasIdle: boolean;
  /** Kernel threads, as a service `kernel`. Default true. */
  readonly hasKernel: boolean;
  /** Default `comm`. */
  readonly sampleLabels: readonly SampleLabel[];
  /** Names of the services that get profiles, `*` being anything; empty: all. */
  readonly only: readonly string[];
  /** Names of services that get none. */
  readonly except: readonly string[];
  /** All rules that a service's name matches hold for it, and of two that disagree the later. */
  readonly rules: readonly ServiceRule[];
};

/** A rule for the services of a name. */
export type ServiceRule = {
  /** `*` is anything. */
  readonly service: string;
  /** Labels of their profiles, beside those of all; they take the place of what the service says itself. */
  readonly labels: Readonly<Record<string, string>>;
  /** The share of their samples that is sent, above 0 and up to 1; these weigh as much as all. Null: as other rules say, else 1. */
  readonly share: number | null;
  /**
   * Whether a Node of them that has not imported `perf-ts/register` is attached to as by `record --attach-js`: once, by its
   * inspector. Null: as other rules say, else false.
   */
  readonly attach: boolean | null;
};

/** Kinds of sinks. */
export type SinkType = 'pyroscope' | 'otlp' | 'parca' | 'coroot' | 'clickhouse' | 'folder';

/** One place that profiles go to. */
export type SinkConfig = {
  readonly type: SinkType;
  /** Unique among the sinks: names its spool and its metrics. */
  readonly name: string;
  /** Address of the server (`clickhouse://…` of a ClickHouse), or path of the folder. */
  readonly target: string;
  /** A file whose text is the token; read at each start and whenever it changes. Null: none. */
  readonly tokenFile: string | null;
  /** Name of the environment variable that has the token; null: none. */
  readonly tokenEnv: string | null;
  /** Name for Basic authentication, whose password is the token; null: the token goes as the kind of sink has it. */
  readonly user: string | null;
  /** Certificates, in PEM, of who may have signed the server's, instead of the usual ones; null: these. */
  readonly caFile: string | null;
  /** The agent's own certificate and its key, in PEM, for servers that ask for one; null: none. */
  readonly certFile: string | null;
  readonly keyFile: string | null;
  /** Pyroscope's tenant, sent as `X-Scope-OrgID`; null: none. */
  readonly tenant: string | null;
  /** A folder keeps this many of its latest days; null: all. */
  readonly keepDays: number | null;
  /** The server has so long to answer. */
  readonly timeoutMs: number;
};

/** Windows that wait for their sink on disk. */
export type SpoolConfig = {
  readonly directory: string;
  /** Maximum size for each sink; beyond it the oldest window goes. */
  readonly maxBytes: number;
};

/** All that an agent is told; `parseAgentConfig` makes one. */
export type AgentConfig = {
  readonly sampling: SamplingConfig;
  readonly windowMs: number;
  /** Part of `windowMs` by which a window may be shorter or longer, so that machines do not push in step. */
  readonly jitter: number;
  /**
   * The share of the windows that are sampled, above 0 and up to 1, each by chance; in the others the event is off. Their profiles weigh what
   * they have counted: shares hold, of many windows or machines, and sums are this part of all. Default 1.
   */
  readonly windowShare: number;
  /** Labels of every profile, beside those of its service: at least `host`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly services: ServiceConfig;
  readonly sinks: readonly SinkConfig[];
  /** Null: windows wait in memory. */
  readonly spool: SpoolConfig | null;
  /**
   * Address of `/metrics` and `/healthz`; null: none. One that others can reach needs a token, which is asked for `/metrics`
   * and read for each request.
   */
  readonly listen: {
    readonly host: string;
    readonly port: number;
    readonly tokenFile: string | null;
  } | null;
};
