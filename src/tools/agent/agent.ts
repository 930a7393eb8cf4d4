import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { loadBinding } from '../../native/binding.ts';
import type { NativeBinding } from '../../native/types.ts';
import { AGENT_OPTIONS, checkArguments } from '../../options/arguments.ts';
import { checkOptions } from '../../options/check.ts';
import { callAfter, type LongTimer } from '../../system/time/long-timer.ts';
import { packageVersion } from '../../system/version.ts';
import { AgentCounts, findingsOfWindow, metricsText, notesOfService } from './agent-metrics.ts';
import type { AgentConfig, ServiceConfig, SinkConfig } from './config/agent-config.ts';
import { Delivery } from './delivery/delivery.ts';
import { makeSpool } from './delivery/window-queue.ts';
import { encodePprof, type WindowFacts } from './encode/encode-pprof.ts';
import { encodeRows } from './encode/encode-rows.ts';
import type { EncodedProfile, EncodedWindow, WindowFormat } from './encode/encoded-window.ts';
import { encodeOtlp } from './encode/otlp-request.ts';
import { type MetricsServer, startMetricsServer } from './metrics-server.ts';
import { ServiceTable } from './service/service-table.ts';
import { openSink } from './sinks/protocols.ts';
import {
  MachineSampler,
  type MachineTotals,
  type MachineWindow,
} from './window/machine-sampler.ts';
import {
  attachesTo,
  type DividedWindow,
  divideWindow,
  type ServiceProfile,
} from './window/service-profiles.ts';

/** How long sinks may still take windows when the agent ends. */
const STOP_MS = 5000;
/** The agent is ill when no window has ended for so many of their lengths. */
const MOST_SILENT_WINDOWS = 4;
/** And for so long: reading the symbols of all that runs takes a while at the start. */
const LEAST_SILENT_MS = 60_000;

/** The configuration of `startAgent`, and who is told of what goes wrong. */
export type AgentOptions = {
  readonly config: AgentConfig;
  /** Told what was substituted, what is lost, and which sinks do not take windows: one sentence each. */
  readonly onNotice?: (notice: string) => void;
};

/** A machine that is profiled, until `stop`. */
export type RunningAgent = {
  /** Takes another configuration; what is sampled goes on. Rejects, and keeps the old one, where it can't be. */
  reload(config: AgentConfig): Promise<void>;
  /** Ends with the window that has begun. */
  stop(): Promise<void>;
  /** Rejects where sampling has ended by itself. */
  readonly ended: Promise<void>;
  readonly totals: MachineTotals;
  /** The answer of `/metrics`. */
  metrics(): string;
  /** Port of `/metrics`; null where there is none. */
  readonly metricsPort: number | null;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Profiles all processes of this machine without an end, and sends a profile of each service and window to
 * its sinks. Throws as `record` does, and where a spool or the port can't be used.
 *
 * @example
 * ```ts
 * import { resolve } from 'node:path';
 * import { setTimeout } from 'node:timers/promises';
 * import { type AgentOptions, readAgentConfig, startAgent } from 'perf-ts';
 *
 * const given = { sampling: { hz: 19 }, sinks: [{ type: 'folder', path: resolve('profiles') }] };
 * const options: AgentOptions = { config: readAgentConfig(given, 'my settings') };
 * const agent = await startAgent(options);
 * await setTimeout(500);
 * await agent.stop();
 * console.log(agent.totals, agent.metrics().length);
 * ```
 */
export async function startAgent(
  options: AgentOptions,
  binding: NativeBinding = loadBinding(),
): Promise<RunningAgent> {
  checkOptions(AGENT_OPTIONS, options, 'startAgent');
  checkArguments({ config: options.config });
  const agent = new Agent(options, binding);
  await agent.start();
  return agent;
}

/** A window's parts, with these labels. */
type Divide = (services: ServiceConfig) => DividedWindow;

class Agent implements RunningAgent {
  readonly #notify: (notice: string) => void;
  readonly #binding: NativeBinding;
  readonly #counts = new AgentCounts();
  /** Identifies this machine, boot and agent: no two windows have one name. */
  readonly #identity = [hostname(), bootId(), randomBytes(8).toString('hex')].join(' ');
  #config: AgentConfig;
  #sampler: MachineSampler | null = null;
  readonly #services: ServiceTable;
  #deliveries: Delivery[] = [];
  #server: MetricsServer | null = null;
  #timer: LongTimer | null = null;
  #windowMs = 0;
  /** Whether the window that has begun is sampled. */
  #isSampled = true;
  #endedMs = performance.now();
  /** Windows end one after the other: whose their processes are takes a while to learn. */
  #ending: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | null = null;

  constructor({ config, onNotice }: AgentOptions, binding: NativeBinding) {
    this.#config = config;
    this.#binding = binding;
    this.#notify = onNotice ?? (() => {});
    this.#services = new ServiceTable({
      parentOf: (pid) => this.#sampler?.parentOf(pid) ?? -1,
      nameOf: (pid) => this.#sampler?.nameOf(pid) ?? '',
      cgroupOf: (pid) => this.#sampler?.cgroupOf(pid) ?? '',
      notify: this.#notify,
    });
  }

  async start(): Promise<void> {
    this.#deliveries = this.#openDeliveries(this.#config);
    this.#server = await this.#listen(this.#config);
    try {
      this.#sampler = MachineSampler.start(
        {
          ...this.#config.sampling,
          onNotice: this.#notify,
          onSampled: (threads) => void this.#services.learn(threads),
          onBegun: (pid, comm) => this.#services.meet(pid, comm),
        },
        this.#binding,
      );
    } catch (error) {
      this.#server?.close();
      throw error;
    }
    this.#endedMs = performance.now();
    this.#schedule();
  }

  get ended(): Promise<void> {
    return this.#sampler?.ended ?? Promise.resolve();
  }

  get totals(): MachineTotals {
    return this.#sampler?.totals ?? { counted: null, weighed: 0, samples: 0, lost: 0 };
  }

  get metricsPort(): number | null {
    return this.#server?.port ?? null;
  }

  metrics(): string {
    return metricsText({
      counts: this.#counts,
      totals: this.totals,
      renewals: this.#sampler?.renewals ?? 0,
      deliveries: this.#deliveries,
      version: packageVersion(),
    });
  }

  async reload(config: AgentConfig): Promise<void> {
    const before = this.#config;
    const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
    if (!isSame(before.sampling, config.sampling)) {
      this.#notify('sampling: another event or rate needs a restart; the old one goes on');
    }
    const hasOtherSinks =
      !isSame(before.sinks, config.sinks) ||
      !isSame(before.spool, config.spool) ||
      !isSame(before.labels, config.labels);
    // Whatever can fail comes before anything is changed.
    if (hasOtherSinks) checkPlaces(config);
    if (!isSame(before.listen, config.listen)) {
      const server = await this.#listen(config);
      this.#server?.close();
      this.#server = server;
    }
    this.#config = { ...config, sampling: before.sampling };
    if (hasOtherSinks) {
      // A spool belongs to one delivery at a time.
      await Promise.all(this.#deliveries.map((delivery) => delivery.stop(STOP_MS)));
      this.#deliveries = this.#openDeliveries(this.#config);
    }
    for (const delivery of this.#deliveries) delivery.retry();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.#timer?.cancel();
    try {
      await this.#sampler?.stop();
      await this.#endWindow();
    } finally {
      this.#services.close();
      this.#sampler?.close();
      await Promise.all(this.#deliveries.map((delivery) => delivery.stop(STOP_MS)));
      this.#server?.close();
    }
  }

  #openDeliveries(config: AgentConfig): Delivery[] {
    const { spool } = config;
    return config.sinks.map(
      (sink) =>
        new Delivery(openSink(sink, config), {
          directory: spoolOf(spool, sink),
          maxBytes: spool?.maxBytes ?? Number.POSITIVE_INFINITY,
          notify: this.#notify,
        }),
    );
  }

  async #listen({ listen }: AgentConfig): Promise<MetricsServer | null> {
    if (listen === null) return null;
    return startMetricsServer({
      ...listen,
      metrics: () => this.metrics(),
      trouble: () => this.#trouble(),
      // A sink that is down is not healed by another agent: windows wait in the spool.
      notes: () => [
        ...this.#deliveries.flatMap(({ sink, trouble }) =>
          trouble === '' ? [] : [`${sink.name}: ${trouble}; windows wait`],
        ),
        ...(this.#sampler?.unattached ?? []),
      ],
    });
  }

  #trouble(): string {
    const silentMs = performance.now() - this.#endedMs;
    if (silentMs > Math.max(LEAST_SILENT_MS, MOST_SILENT_WINDOWS * this.#config.windowMs)) {
      return `no window has ended for ${Math.round(silentMs / 1000)} s`;
    }
    return '';
  }

  #schedule(): void {
    const { windowMs, jitter } = this.#config;
    this.#windowMs = windowMs * (1 + jitter * (2 * Math.random() - 1));
    this.#timer = callAfter(this.#windowMs, () => {
      // Its failure is an agent's that cannot go on.
      void this.#endWindow();
      this.#chooseNext();
      this.#schedule();
    });
  }

  /** Whether the next window is sampled: chance, so that no work of a machine that comes in turns is in step with it. */
  #chooseNext(): void {
    const { windowShare } = this.#config;
    const isSampled = windowShare === 1 || Math.random() < windowShare;
    if (isSampled !== this.#isSampled) this.#sampler?.sample(isSampled);
    this.#isSampled = isSampled;
    if (!isSampled) this.#counts.leftOutWindows++;
  }

  #endWindow(): Promise<void> {
    const windowMs = this.#windowMs;
    this.#ending = this.#ending.then(() => this.#takeWindow(windowMs));
    return this.#ending;
  }

  async #takeWindow(askedMs: number): Promise<void> {
    const nowMs = performance.now();
    const window = this.#sampler?.takeWindow() ?? null;
    if (window !== null || !this.#isSampled) this.#endedMs = nowMs;
    if (window === null) return;
    const { profile, weights } = window;
    const findings = findingsOfWindow(window);
    const services = await this.#services.of(profile.threads);
    const { rules } = this.#config.services;
    services.forEach(({ name }, row) => {
      if (attachesTo(name, rules)) this.#sampler?.attach(profile.threads[row].pid);
    });
    const divide: Divide = (config) => {
      const { services: parts, leftOut } = divideWindow(profile, weights, services, config);
      const noted = parts.map((part) => {
        const meta = { ...profile.meta, notes: notesOfService(part, findings) };
        return { ...part, profile: { ...part.profile, meta } };
      });
      return { services: noted, leftOut };
    };
    const divided = divide(this.#config.services);
    this.#counts.add(window, divided, askedMs);
    this.#counts.addTurns(window, services);
    if (divided.services.length > 0) this.#deliver(window, divided.services, divide);
    this.#services.endWindow();
  }

  /** Encodes the window once for each format that some sink takes. */
  #deliver(window: MachineWindow, services: readonly ServiceProfile[], divide: Divide): void {
    const { sequence, startNs, endNs, zeroNs } = window;
    const facts: WindowFacts = { id: `${this.#identity} ${sequence}`, startNs, endNs, zeroNs };
    const id = `${String(startNs).padStart(20, '0')}-${sequence}`;
    const encoded = new Map<WindowFormat, EncodedWindow>();
    for (const delivery of this.#deliveries) {
      const { format } = delivery.sink;
      let found = encoded.get(format);
      if (found === undefined) {
        const profiles = this.#encode(format, services, divide, facts);
        found = { id, format, startNs, endNs, profiles };
        encoded.set(format, found);
      }
      delivery.add(found);
    }
  }

  #encode(
    format: WindowFormat,
    services: readonly ServiceProfile[],
    divide: Divide,
    facts: WindowFacts,
  ): readonly EncodedProfile[] {
    const { labels } = this.#config;
    switch (format) {
      case 'pprof':
        return encodePprof(services, facts);
      case 'otlp':
        return encodeOtlp(services, facts, { labels });
      case 'rows': {
        // Columns, and no series of their own.
        const whole = divide({ ...this.#config.services, sampleLabels: ['tid', 'cpu'] });
        return encodeRows(whole.services, facts, { host: labels.host || hostname(), labels });
      }
    }
  }
}

function spoolOf(spool: AgentConfig['spool'], { name }: SinkConfig): string | null {
  return spool === null ? null : join(spool.directory, name);
}

/** Throws `FailedError` where a spool of a configuration can't be used. */
function checkPlaces({ sinks, spool }: AgentConfig): void {
  for (const sink of sinks) {
    const directory = spoolOf(spool, sink);
    if (directory !== null) makeSpool(directory);
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
