import type { Finding } from '../../findings/finding.ts';
import { judgeRun } from '../../findings/judge-run.ts';
import type { Delivery } from './delivery/delivery.ts';
import type { Service } from './service/service.ts';
import type { MachineTotals, MachineWindow } from './window/machine-sampler.ts';
import {
  type DividedWindow,
  type ServiceProfile,
  unnamedJitShare,
} from './window/service-profiles.ts';
import { TurnCounts } from './window/turn-counts.ts';

/** A window is late when it is so many times as long as was asked for. */
const MOST_LONGER = 1.5;

/** Sums over all windows since the start. */
export class AgentCounts {
  windows = 0;
  /** Windows that ended later than they should have by more than half of their length. */
  late = 0;
  leftOutWindows = 0;
  /** Profiles of services. */
  profiles = 0;
  services = 0;
  lostSideband = 0;
  throttles = 0;
  idle = 0;
  leftOutKernel = 0;
  leftOutServices = 0;
  /** Windows with a finding, by its code. */
  readonly findings = new Map<string, number>();
  /** End of the last window, nanoseconds since 1970. */
  lastEndNs = 0n;
  /** Shares of the last window's weight in code of JITs without a name, by the name of the service: the largest of its parts. */
  unnamedJit: ReadonlyMap<string, number> = new Map();
  /** Turns of event loops in the last window, by the name of the service. */
  turns: ReadonlyMap<string, TurnCounts> = new Map();
  /** Services of processes that report their turns, and were sampled at some time. */
  #serviceOf = new Map<number, string>();
  /** Turns since the start, of the services that have such processes. */
  #allTurns = new Map<string, TurnCounts>();

  allTurnsOf(service: string): TurnCounts {
    return this.#allTurns.get(service) ?? new TurnCounts();
  }

  /** `services` are those of the threads that were sampled in the window. */
  addTurns(
    { turns, profile }: Pick<MachineWindow, 'turns' | 'profile'>,
    services: readonly Service[],
  ): void {
    const sampled = new Map(profile.threads.map(({ pid }, row) => [pid, services[row].name]));
    const serviceOf = new Map<number, string>();
    const ofWindow = new Map<string, TurnCounts>();
    const all = new Map<string, TurnCounts>();
    for (const [pid, counts] of turns) {
      const name = sampled.get(pid) ?? this.#serviceOf.get(pid);
      if (name === undefined) continue;
      serviceOf.set(pid, name);
      all.set(name, this.allTurnsOf(name));
      const inWindow = ofWindow.get(name) ?? new TurnCounts();
      ofWindow.set(name, inWindow);
      inWindow.add(counts);
    }
    for (const [name, counts] of ofWindow) all.get(name)?.add(counts);
    this.turns = ofWindow;
    this.#serviceOf = serviceOf;
    this.#allTurns = all;
  }

  /** `askedMs`: the length that the window was to have. */
  add(window: MachineWindow, { services, leftOut }: DividedWindow, askedMs: number): void {
    const { losses, startNs, endNs } = window;
    // Its length counts, not when the timer came: samples may be late as well.
    if (Number(endNs - startNs) > MOST_LONGER * askedMs * 1e6) this.late++;
    for (const { code } of findingsOfWindow(window)) {
      this.findings.set(code, (this.findings.get(code) ?? 0) + 1);
    }
    this.windows++;
    this.unnamedJit = largestShares(services);
    this.profiles += services.length;
    this.services = services.length;
    this.lostSideband += losses.sideband;
    this.throttles += losses.throttles;
    this.idle += leftOut.idle;
    this.leftOutKernel += leftOut.kernel;
    this.leftOutServices += leftOut.service;
    this.lastEndNs = endNs;
  }
}

/** Pods of one service are parts of their own. */
function largestShares(parts: readonly ServiceProfile[]): Map<string, number> {
  const shares = new Map<string, number>();
  for (const part of parts) {
    const share = unnamedJitShare(part);
    const { name } = part.service;
    if (share !== null) shares.set(name, Math.max(share, shares.get(name) ?? 0));
  }
  return shares;
}

/** The findings on a window and on the part of it that is a service's, in words. */
export function notesOfService(
  part: ServiceProfile,
  ofWindow: readonly Finding[],
): readonly string[] {
  const own = judgeRun({ ...NOTHING_LOST, unnamedJitShare: unnamedJitShare(part) });
  return [...ofWindow, ...own].map(({ sentence }) => sentence);
}

const NOTHING_LOST = { samples: 0, lost: 0, lostSideband: 0, throttles: 0 };

/** Findings on the sampling of a window. */
export function findingsOfWindow({
  profile,
  losses,
}: Pick<MachineWindow, 'profile' | 'losses'>): Finding[] {
  const { samples: lost, sideband, throttles } = losses;
  return judgeRun({ samples: profile.samples.length, lost, lostSideband: sideband, throttles });
}

export type MetricsInput = {
  readonly counts: AgentCounts;
  readonly totals: MachineTotals;
  readonly renewals: number;
  readonly deliveries: readonly Delivery[];
  readonly version: string;
};

/** The state of an agent in Prometheus's text format, version 0.0.4. */
export function metricsText(input: MetricsInput): string {
  const families = [...machineFamilies(input), turnFamily(input.counts), ...sinkFamilies(input)];
  return `${families.map(familyText).join('\n')}\n`;
}

type Family = {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'summary';
  readonly help: string;
  readonly values: readonly (readonly [
    labels: Readonly<Record<string, string>>,
    value: number,
    suffix?: '_sum' | '_count',
  ])[];
};

const TURN_QUANTILES = [0.5, 0.9, 0.99, 1];

/** Quantiles are those of the last window, sums and counts go on, as in every summary of Prometheus. */
function turnFamily(counts: AgentCounts): Family {
  return {
    ...{ name: 'turn_seconds', type: 'summary' },
    help: 'Turns of event loops of programs with perf-ts/register.',
    values: [...counts.turns].flatMap(([service, turns]): Family['values'] => [
      ...TURN_QUANTILES.map(
        (quantile) =>
          [{ service, quantile: String(quantile) }, turns.quantile(quantile) / 1e9] as const,
      ),
      [{ service }, counts.allTurnsOf(service).busyNs / 1e9, '_sum'],
      [{ service }, counts.allTurnsOf(service).turns, '_count'],
    ]),
  };
}

function machineFamilies({ counts, totals, renewals, version }: MetricsInput): Family[] {
  const { user, system } = process.cpuUsage();
  const counter = (name: string, value: number, help: string): Family => ({
    ...{ name: `${name}_total`, type: 'counter', help },
    values: [[{}, value]],
  });
  const gauge = (name: string, value: number, help: string): Family => ({
    ...{ name, type: 'gauge', help },
    values: [[{}, value]],
  });
  const endS = Number(counts.lastEndNs / 1_000_000n) / 1000;
  return [
    { ...gauge('info', 1, 'Version of the agent.'), values: [[{ version }, 1]] },
    counter('cpu_seconds', (user + system) / 1e6, 'CPU time of the agent.'),
    gauge('resident_bytes', process.memoryUsage.rss(), 'Resident memory of the agent.'),
    counter('windows', counts.windows, 'Windows that were sampled.'),
    counter(
      'windows_left_out',
      counts.leftOutWindows,
      'Windows in which nothing was sampled, by chance.',
    ),
    counter('windows_late', counts.late, 'Windows that were longer by half than was asked for.'),
    gauge('window_end_timestamp_seconds', endS, 'End of the last window.'),
    counter('profiles', counts.profiles, 'Profiles of services.'),
    gauge('services', counts.services, 'Services in the last window.'),
    counter('samples', totals.samples, 'Samples of all CPUs.'),
    counter('weight', totals.weighed, 'Events, or nanoseconds, that the samples stand for.'),
    counter('samples_lost', totals.lost, 'Samples that the kernel could not write.'),
    counter('sideband_lost', counts.lostSideband, 'Records of forks, execs and mappings lost.'),
    counter('throttles', counts.throttles, 'Times that the kernel paused the event.'),
    {
      ...counter('findings', 0, 'Windows with a finding, by its code.'),
      values: [...counts.findings].map(([code, windows]) => [{ code }, windows]),
    },
    {
      ...gauge('jit_unnamed_ratio', 0, 'Share of a service in code of a JIT without a name.'),
      values: [...counts.unnamedJit].map(([service, share]) => [{ service }, share]),
    },
    counter('renewals', renewals, 'Times that the tables were made anew.'),
    {
      ...counter('weight_left_out', 0, 'Weight that is in no profile.'),
      values: [
        [{ of: 'idle' }, counts.idle],
        [{ of: 'kernel' }, counts.leftOutKernel],
        [{ of: 'service' }, counts.leftOutServices],
      ],
    },
  ];
}

function sinkFamilies({ deliveries }: MetricsInput): Family[] {
  const bySink =
    (type: Family['type']) =>
    (name: string, help: string, figure: (delivery: Delivery) => number): Family => ({
      ...{ name, type, help },
      values: deliveries.map((delivery) => [{ sink: delivery.sink.name }, figure(delivery)]),
    });
  const counter = bySink('counter');
  const gauge = bySink('gauge');
  return [
    counter('sink_windows_total', 'Windows that were sent.', ({ counts }) => counts.windows),
    counter('sink_requests_total', 'Requests that were taken.', ({ counts }) => counts.requests),
    counter('sink_bytes_total', 'Bytes of profiles in these.', ({ counts }) => counts.bytes),
    counter('sink_failures_total', 'Requests that failed.', ({ counts }) => counts.failures),
    counter('sink_refused_total', 'Profiles that were refused.', ({ counts }) => counts.refused),
    counter('sink_dropped_total', 'Windows given up unsent.', ({ counts }) => counts.dropped),
    counter(
      'sink_unconfirmed_total',
      'Requests that were under way when an agent ended.',
      ({ counts }) => counts.unconfirmed,
    ),
    gauge('spool_windows', 'Windows that wait.', ({ queue }) => queue.length),
    gauge('spool_bytes', 'Bytes of these.', ({ queue }) => queue.bytes),
    gauge('sink_up', '1 while the sink takes what it gets.', ({ trouble }) =>
      trouble === '' ? 1 : 0,
    ),
  ];
}

function familyText({ name, type, help, values }: Family): string {
  const full = `perf_ts_agent_${name}`;
  return [
    `# HELP ${full} ${help}`,
    `# TYPE ${full} ${type}`,
    ...values.map(([labels, value, suffix = '']) => `${full}${suffix}${braces(labels)} ${value}`),
  ].join('\n');
}

function braces(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
