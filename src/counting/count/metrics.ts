import type { GroupMember, Metric, MetricContext, MetricName } from './metric.ts';
import { topdownMetrics } from './metrics-topdown.ts';

/** From here on the report's programs were limited by computing; a core retires 4 to 6 a cycle. */
const COMPUTE_BOUND_IPC = 3;
/** About 0.5 is what waiting for memory looks like. */
const MEMORY_BOUND_IPC = 0.7;

/** The metrics of each member, in the order of the group. */
export function groupMetrics(
  members: readonly GroupMember[],
  context: MetricContext,
): readonly (readonly Metric[])[] {
  return members.map((member) => {
    const peer = (role: string): GroupMember | null =>
      members.find((other) => other.role === role && other.domain === member.domain) ?? null;
    return memberMetrics(member, peer, context);
  });
}

type FindPeer = (role: string) => GroupMember | null;

function memberMetrics(member: GroupMember, peer: FindPeer, context: MetricContext): Metric[] {
  if (member.value === null) return [];
  const topdown = topdownMetrics(member, peer, context);
  if (topdown.length > 0) return topdown;
  switch (member.role) {
    case 'task-clock':
    case 'cpu-clock':
      return [ratio('cpus-utilised', member.value, context.elapsedNs, 'no time has passed')];
    case 'energy':
      return [ratio('watts', member.value, context.elapsedNs / 1e9, 'no time has passed')];
    case 'cycles':
      return [...frequency(member), ...stallMetrics(member, peer)];
    case 'instructions':
      return instructionMetrics(member, peer);
    case 'stalled-cycles-frontend':
    case 'stalled-cycles-backend':
      return shareOf('stalled-share', member, peer('cycles'));
    default:
      return rateMetrics(member, peer);
  }
}

/** Where only a part is counted (`:u`) its cycles and its time are not of the same. */
function frequency(cycles: GroupMember): Metric[] {
  if (cycles.domain !== '') return [];
  return [ratio('ghz', cycles.counted, cycles.runningNs, 'it was not running')];
}

function instructionMetrics(instructions: GroupMember, peer: FindPeer): Metric[] {
  const cycles = peer('cycles');
  if (cycles === null) return perSecond(instructions);
  const ipc = ratio('ipc', instructions.value, cycles.value, 'no cycles were counted');
  if (ipc.value === null) return [ipc];
  const hint =
    ipc.value >= COMPUTE_BOUND_IPC
      ? 'compute-bound'
      : ipc.value <= MEMORY_BOUND_IPC
        ? 'may wait for memory'
        : null;
  return [{ ...ipc, hint }];
}

/**
 * A cycle in which nothing retired is a stall. Of the average only a lower bound is known: it hides
 * bursts, for a core retires several instructions in other cycles. Where the CPU counts stalls, that
 * is shown in place of this.
 */
function stallMetrics(cycles: GroupMember, peer: FindPeer): Metric[] {
  const instructions = peer('instructions');
  if (instructions?.value == null || cycles.value === null) return [];
  if (peer('stalled-cycles-frontend') !== null || peer('stalled-cycles-backend') !== null)
    return [];
  const stalled = Math.max(0, cycles.value - instructions.value);
  const bound = ratio('stall-lower-bound', stalled, cycles.value, 'no cycles were counted');
  return [bound.value === null ? bound : { ...bound, hint: 'at least: bursts are hidden' }];
}

/** Misses as a share of what could have missed, and per 1000 instructions; else a rate. */
function rateMetrics(member: GroupMember, peer: FindPeer): Metric[] {
  const whole = wholeOf(member.role);
  if (whole === null) return perSecond(member);
  const found = [
    ...shareOf('miss-share', member, peer(whole)),
    ...missesPerKilo(member, peer('instructions')),
  ];
  return found.length > 0 ? found : perSecond(member);
}

function missesPerKilo(misses: GroupMember, instructions: GroupMember | null): Metric[] {
  if (instructions === null) return [];
  const thousands = instructions.value === null ? null : instructions.value / 1000;
  return [ratio('mpki', misses.value, thousands, 'no instructions were counted')];
}

/** `branch-misses` → `branches`, `LLC-load-misses` → `LLC-loads`; null for what is no miss. */
export function wholeOf(role: string): string | null {
  if (role === 'branch-misses') return 'branches';
  if (role === 'cache-misses') return 'cache-references';
  const match = /^(.+)-(load|store|prefetch)-misses$/.exec(role);
  if (match === null) return null;
  return match[2] === 'prefetch' ? `${match[1]}-prefetches` : `${match[1]}-${match[2]}s`;
}

/** Per second of its own running time: of a thread, the time that it ran. */
function perSecond(member: GroupMember): Metric[] {
  const seconds = member.runningNs / 1e9;
  return [ratio('per-second', member.counted, seconds, 'it was not running')];
}

function shareOf(name: MetricName, part: GroupMember, whole: GroupMember | null): Metric[] {
  if (whole === null) return [];
  return [ratio(name, part.value, whole.value, `no ${whole.role} were counted`)];
}

/** Unknown, with the reason, where there is nothing to divide by. */
function ratio(
  name: MetricName,
  part: number | null,
  whole: number | null,
  reason: string,
): Metric {
  if (part === null || whole === null || !(whole > 0)) {
    return { name, value: null, hint: null, reason };
  }
  return { name, value: part / whole, hint: null, reason: null };
}
