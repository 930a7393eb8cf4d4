import type { GroupMember, MetricName } from './metric.ts';

/** A metric that is the count of its event divided by something else. */
export type MetricRatio = {
  readonly name: MetricName;
  /**
   * The divisor of the count: the count of the event with this role, in the same domain; the time that
   * the event itself was on a counter; or the time that passed.
   */
  readonly whole: { readonly role: string } | 'running' | 'elapsed';
  /** The metric is the count for so many of `whole`: 1000 instructions, 1e9 nanoseconds. */
  readonly per: number;
  /** Reason why the ratio is unknown where there is nothing to divide by. */
  readonly reason: string;
};

/** An event, as far as it decides which ratios it has. */
type RatioMember = Pick<GroupMember, 'role' | 'domain'>;

/**
 * The ratios that an event has, `hasPeer` telling which roles were counted with it in its domain. The place of
 * all definitions: `stat` divides whole counts by them, reports those of each function.
 */
export function metricRatios(
  { role, domain }: RatioMember,
  hasPeer: (role: string) => boolean,
): readonly MetricRatio[] {
  switch (role) {
    case 'task-clock':
    case 'cpu-clock':
      return [{ name: 'cpus-utilised', whole: 'elapsed', per: 1, reason: 'no time has passed' }];
    case 'energy':
      return [{ name: 'watts', whole: 'elapsed', per: 1e9, reason: 'no time has passed' }];
    case 'cycles':
      // A part (`:u`) has cycles of its own, and the time of the whole.
      return domain === '' ? [{ name: 'ghz', whole: 'running', per: 1, reason: NOT_RUNNING }] : [];
    case 'instructions':
      return hasPeer('cycles') ? [shareOf('ipc', 'cycles')] : [PER_SECOND];
    case 'stalled-cycles-frontend':
    case 'stalled-cycles-backend':
      return hasPeer('cycles') ? [shareOf('stalled-share', 'cycles')] : [];
    default:
      return rateRatios(role, hasPeer);
  }
}

/** Misses as a share of what could have missed, and per 1000 instructions; else a rate. */
function rateRatios(role: string, hasPeer: (role: string) => boolean): readonly MetricRatio[] {
  const whole = wholeOf(role);
  if (whole === null) return [PER_SECOND];
  const found = [
    ...(hasPeer(whole) ? [shareOf('miss-share', whole)] : []),
    ...(hasPeer('instructions') ? [{ ...shareOf('mpki', 'instructions'), per: 1000 }] : []),
  ];
  return found.length > 0 ? found : [PER_SECOND];
}

/** `branch-misses` → `branches`, `LLC-load-misses` → `LLC-loads`; null for what is no miss. */
export function wholeOf(role: string): string | null {
  if (role === 'branch-misses') return 'branches';
  if (role === 'cache-misses') return 'cache-references';
  const match = /^(.+)-(load|store|prefetch)-misses$/.exec(role);
  if (match === null) return null;
  return match[2] === 'prefetch' ? `${match[1]}-prefetches` : `${match[1]}-${match[2]}s`;
}

function shareOf(name: MetricName, role: string): MetricRatio {
  return { name, whole: { role }, per: 1, reason: `no ${role} were counted` };
}

const NOT_RUNNING = 'it was not running';
/** Per second of its own running time: of a thread, the time that it ran. */
const PER_SECOND: MetricRatio = {
  name: 'per-second',
  whole: 'running',
  per: 1e9,
  reason: NOT_RUNNING,
};
