import { formatCpuList } from '../../base/cpu-list.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { sampleTypeNames } from '../../kernel/perf-event/constants.ts';
import type { RecordSettings } from '../../options/record.ts';
import { newCodeSocket } from '../../record/code-events/code-socket.ts';
import type { StackChoice } from '../../record/plan/call-graph.ts';
import { isProbed, MOST_PROBE_MS } from '../../record/plan/period-probe.ts';
import { planOnly } from '../../record/prepare-recording.ts';
import { isStream } from '../../system/files/stream-place.ts';
import { readPageBytes } from '../../system/kernel/page-bytes.ts';

/** The lines of `--dry-run`: each event as it would be opened, and the rings. Starts nothing. */
export function describeDryRun(options: RecordSettings): string[] {
  const { plan, ring, target, stacks } = planOnly(
    options,
    undefined,
    isStream(options.output ?? '') ? null : () => newCodeSocket(options),
  );
  const lines = plan.events.map(({ name, attr, leader, cpus }) => {
    const member = leader >= 0 ? `, in the group of ${plan.events[leader]?.name}` : '';
    const place = cpus === null ? '' : `, on CPUs ${formatCpuList(cpus)}`;
    return `${name}: ${describeAttr(attr)}${member}${place}`;
  });
  const probed = plan.events.filter(isProbed).map(({ name }) => name);
  if (probed.length > 0) {
    lines.push(
      `measured before: which interval a period of ${probed.join(', ')} counts, at most ` +
        `${MOST_PROBE_MS} ms of perf-ts's own work for each kind`,
    );
  }
  lines.push(`stacks: ${describeStacks(stacks, options)}`);
  lines.push(`side-band: ${describeAttr(plan.sideband)}`);
  lines.push(`target: ${target.kind}, CPUs ${plan.cpus.join(',')}`);
  const place = options.perThread ? 'thread' : 'CPU';
  const pageKib = readPageBytes() / 1024;
  lines.push(
    `rings: ${ring.ringPages} + ${ring.sidebandPages} pages of ${pageKib} KiB per ${place}`,
  );
  return lines;
}

function describeStacks(
  { callGraph, ofWaits, isDefault }: StackChoice,
  { offCpu }: RecordSettings,
): string {
  if (!isDefault) return callGraph;
  if (callGraph === 'none') return 'none, as no option asks for them (-g)';
  const waits =
    offCpu && ofWaits.callGraph === 'auto'
      ? `, of waits unwound from dumps of ${ofWaits.stackSizeBytes} bytes`
      : '';
  return `${callGraph}${waits}, since the target runs JavaScript (--no-call-graph leaves them out)`;
}

function describeAttr(attr: EventAttr): string {
  const rate = describeRate(attr);
  const set = Object.entries(attr.flags)
    .filter(([name, value]) => value !== false && value !== 0 && name !== 'freq')
    .map(([name, value]) => (value === true ? name : `${name}=${value}`));
  return (
    `type ${attr.type}, config 0x${attr.config.toString(16)}, ${rate}, ` +
    `${sampleTypeNames(attr.sampleType).join('|')}; ${set.join(' ')}`
  );
}

function describeRate({ samplePeriod, flags }: EventAttr): string {
  if (samplePeriod === 0) return 'not sampled by itself';
  return flags.freq ? `${samplePeriod} Hz` : `1 in ${samplePeriod}`;
}
