import type { GroupMember, Metric, MetricContext, MetricName } from './metric.ts';

/**
 * Level 1 of the top-down method: what became of each slot, a place for one micro-operation in one
 * cycle. The four shares add up to 1.
 *
 *     slot ─┬─ not filled ─┬─ the front end had nothing          frontend bound
 *           │              └─ the back end took nothing          backend bound
 *           └─ filled ─────┬─ the operation retired              retiring
 *                          └─ it was thrown away, or recovery    bad speculation
 *
 * Three ways to know it, by what the PMU has:
 *
 *   Intel, Ice Lake and later   slots, topdown-retiring, -bad-spec, -fe-bound, -be-bound
 *   Intel, before               topdown-total-slots, -slots-issued, -slots-retired,
 *                               -fetch-bubbles, -recovery-bubbles
 *   arm64, v8.4 and later       stall_slot_frontend, stall_slot_backend, op_retired, op_spec, with
 *                               cycles × slots a cycle
 */
export function topdownMetrics(
  member: GroupMember,
  peer: (role: string) => GroupMember | null,
  context: MetricContext,
): Metric[] {
  const name = MEMBER_METRIC[member.role];
  if (name === undefined) return [];
  const count = (role: string): number | null => peer(role)?.value ?? null;
  const shares = sharesOfSlots(count, context.slotsPerCycle ?? null);
  if (shares === null) {
    return [{ name, value: null, hint: null, reason: 'events of the method were not counted' }];
  }
  return [{ name, value: shares[name], hint: null, reason: null }];
}

type TopdownName = Extract<MetricName, `topdown-${string}`>;

/** The share that each event's row shows. */
const MEMBER_METRIC: Readonly<Record<string, TopdownName>> = {
  'topdown-retiring': 'topdown-retiring',
  'topdown-bad-spec': 'topdown-bad-speculation',
  'topdown-fe-bound': 'topdown-frontend-bound',
  'topdown-be-bound': 'topdown-backend-bound',
  'topdown-slots-retired': 'topdown-retiring',
  'topdown-recovery-bubbles': 'topdown-bad-speculation',
  'topdown-fetch-bubbles': 'topdown-frontend-bound',
  'topdown-slots-issued': 'topdown-backend-bound',
  op_retired: 'topdown-retiring',
  op_spec: 'topdown-bad-speculation',
  stall_slot_frontend: 'topdown-frontend-bound',
  stall_slot_backend: 'topdown-backend-bound',
};

/** Null where the events of none of the three ways were counted. */
export function sharesOfSlots(
  count: (role: string) => number | null,
  slotsPerCycle: number | null,
): Readonly<Record<TopdownName, number>> | null {
  return (
    fromMetricCounters(count) ?? fromSlotEvents(count) ?? fromStalledSlots(count, slotsPerCycle)
  );
}

type Count = (role: string) => number | null;

function fromMetricCounters(count: Count) {
  const parts = counted(count, [
    'topdown-retiring',
    'topdown-bad-spec',
    'topdown-fe-bound',
    'topdown-be-bound',
  ]);
  if (parts === null) return null;
  // The parts are shares of 255 that the kernel multiplies with the slots: their sum, and not
  // `slots`, is what they are parts of.
  const [retiring = 0, badSpeculation = 0, frontend = 0, backend = 0] = parts;
  const slots = retiring + badSpeculation + frontend + backend;
  return slots > 0 ? shares(retiring / slots, badSpeculation / slots, frontend / slots) : null;
}

function fromSlotEvents(count: Count) {
  const values = counted(count, [
    'topdown-total-slots',
    'topdown-slots-issued',
    'topdown-slots-retired',
    'topdown-fetch-bubbles',
    'topdown-recovery-bubbles',
  ]);
  if (values === null) return null;
  const [slots = 0, issued = 0, retired = 0, fetchBubbles = 0, recoveryBubbles = 0] = values;
  if (!(slots > 0)) return null;
  const badSpeculation = Math.max(0, issued - retired + recoveryBubbles) / slots;
  return shares(retired / slots, badSpeculation, fetchBubbles / slots);
}

function fromStalledSlots(count: Count, slotsPerCycle: number | null) {
  const values = counted(count, [
    'cycles',
    'stall_slot_frontend',
    'stall_slot_backend',
    'op_retired',
    'op_spec',
  ]);
  if (values === null || slotsPerCycle === null) return null;
  const [cycles = 0, noFrontend = 0, noBackend = 0, retired = 0, speculated = 0] = values;
  const slots = cycles * slotsPerCycle;
  if (!(slots > 0) || !(speculated > 0)) return null;
  const filled = Math.max(0, 1 - (noFrontend + noBackend) / slots);
  const useful = Math.min(1, retired / speculated);
  return shares(filled * useful, filled * (1 - useful), noFrontend / slots);
}

function counted(count: Count, roles: readonly string[]): number[] | null {
  const values: number[] = [];
  for (const role of roles) {
    const value = count(role);
    if (value === null) return null;
    values.push(value);
  }
  return values;
}

/** The rest of the slots waits for the back end. */
function shares(retiring: number, badSpeculation: number, frontend: number) {
  return {
    'topdown-retiring': retiring,
    'topdown-bad-speculation': badSpeculation,
    'topdown-frontend-bound': frontend,
    'topdown-backend-bound': Math.max(0, 1 - retiring - badSpeculation - frontend),
  } as const;
}
