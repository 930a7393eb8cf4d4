import type { EventSources, PmuDescription } from './event-sources.ts';
import { isCorePmu } from './event-sources.ts';
import type { EventSpec } from './event-spec.ts';

/** Refusals that precision may be the reason of. */
const MAY_BE_PRECISION = new Set(['EINVAL', 'EOPNOTSUPP', 'ENOENT']);

/**
 * The facts about precise events on this machine, for one that was asked for with `:p`, `:pp` or
 * `:ppp` and that the kernel refused with `code`. The kernel decides; its own aliases of cycles
 * break what PEBS documents, so nothing is refused here.
 *
 * arch/x86/events/core.c (x86_pmu_max_precise), intel/ds.c (constraints), amd/ibs.c.
 */
export function explainPrecise(
  { preciseIp, preciseIsMax, name }: Pick<EventSpec, 'preciseIp' | 'preciseIsMax' | 'name'>,
  code: string,
  sources: EventSources,
): string[] {
  if (preciseIp === 0 || preciseIsMax || !MAY_BE_PRECISION.has(code)) return [];
  const core = sources.pmus.find(isCorePmu);
  if (core === undefined) {
    return ['this machine has no hardware counters; without :p other events open'];
  }
  const asked = `:${'p'.repeat(preciseIp)}`;
  const hints: string[] = [];
  const most = mostPrecise(core);
  if (most === 0) return [`${core.name} has no precise sampling here (caps/max_precise is 0)`];
  if (most !== null && preciseIp > most) {
    hints.push(`${asked} is more than ${core.name} has: ${name} with :${'p'.repeat(most)}`);
  }
  hints.push('precise events are sampled, not counted: record takes them, stat does not');
  const hasIbs = sources.pmus.some((pmu) => pmu.name === 'ibs_op');
  hints.push(...(hasIbs ? describeIbs(sources) : PEBS));
  return hints;
}

const PEBS: readonly string[] = [
  'PEBS has events of its own (pfm::EVENT marks them); others are refused, and so are most with ' +
    'edge, inv, cmask or any',
];

/** Two events of AMD pass `p` on to IBS; the PMUs can be asked directly. */
function describeIbs(sources: EventSources): string[] {
  const names = ['ibs_op', 'ibs_fetch'];
  const options = sources.pmus
    .filter((pmu) => names.includes(pmu.name))
    .map((pmu) => `${pmu.name}/${[...pmu.formats.keys()].join(',')}/`);
  return [
    'AMD samples precisely with IBS: cycles, r076 and r0c1 with :p or :pp, no other event',
    `IBS itself, with its options: ${options.join(' and ')}; :u and :k only with swfilt=1, periods in ` +
      'steps of 16',
  ];
}

/** `caps/max_precise`, null where the PMU does not report it. */
function mostPrecise(pmu: PmuDescription): number | null {
  const text = pmu.caps.get('max_precise');
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
}
