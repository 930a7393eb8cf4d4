import type { GroupMember, Metric, MetricContext, MetricName } from './metric.ts';
import { type MetricRatio, metricRatios } from './metric-ratios.ts';
import { topdownMetrics } from './metrics-topdown.ts';

/** Ratio from which on the report's programs were limited by computing; a core retires 4 to 6 a cycle. */
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
  const metrics = metricRatios(member, (role) => peer(role) !== null).map((ratio) =>
    divide(ratio, member, peer, context),
  );
  return member.role === 'cycles' ? [...metrics, ...stallMetrics(member, peer)] : metrics;
}

function divide(
  { name, whole, per, reason }: MetricRatio,
  member: GroupMember,
  peer: FindPeer,
  { elapsedNs }: MetricContext,
): Metric {
  if (whole === 'elapsed') return ratio(name, member.value, elapsedNs / per, reason);
  if (whole === 'running') return ratio(name, member.counted, member.runningNs / per, reason);
  const value = peer(whole.role)?.value ?? null;
  const metric = ratio(name, member.value, value === null ? null : value / per, reason);
  return name === 'ipc' ? { ...metric, hint: hintOfIpc(metric.value) } : metric;
}

function hintOfIpc(ipc: number | null): string | null {
  if (ipc === null) return null;
  if (ipc >= COMPUTE_BOUND_IPC) return 'compute-bound';
  return ipc <= MEMORY_BOUND_IPC ? 'may wait for memory' : null;
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
