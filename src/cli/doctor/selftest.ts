import { EXIT } from '../../base/exit-status.ts';
import { printable } from '../../base/printable.ts';
import { selftest } from '../../tools/selftest/selftest.ts';
import type {
  CaseReport,
  CaseSetup,
  FindingName,
  FindingState,
  SelftestReport,
} from '../../tools/selftest/types.ts';
import { createPaint } from '../render/paint.ts';
import { formatTable } from '../render/table.ts';
import { wantsColour } from '../shared/colour.ts';
import { notify } from '../shared/failure.ts';
import { closeOutput, openOutput } from '../shared/open-output.ts';
import { progressLine } from '../shared/progress.ts';
import { printJson, writeText, writeTo } from '../shared/stdout.ts';
import type { DoctorFlags } from './doctor-options.ts';

/**
 * `perf-ts doctor --selftest`: what is claimed of the kernel, measured here. Where nothing could be
 * measured the status is that of a difference.
 */
export async function runSelftest(flags: DoctorFlags): Promise<void> {
  const shown = progressLine();
  const step = { share: null, atInterrupt: 'stops; no report is written' };
  const report = await selftest({
    ...(flags.event !== undefined && { events: flags.event }),
    quick: flags.quick === true,
    onBegin: (setup) => shown?.show({ ...step, what: `measuring ${titleLine(setup)}` }),
    onCase: (one) => notify(`perf-ts: ${titleLine(one)}: ${worstOf(one)}`),
  });
  shown?.finishStep();
  if (flags.output !== undefined) writeReport(flags.output, report);
  if (flags.json) {
    printJson(report);
  } else {
    const lines = formatSelftest(report, { colour: wantsColour(), all: flags.verbose === true });
    writeText(`${lines.join('\n')}\n`);
    if (flags.output !== undefined) {
      writeText(`report in ${printable(flags.output)}: it names no host, user or file\n`);
    }
  }
  process.exitCode = report.differs === 0 && report.ok > 0 ? EXIT.OK : EXIT.NOT_OK;
}

function writeReport(path: string, report: SelftestReport): void {
  const fd = openOutput(path);
  writeTo(fd, Buffer.from(`${JSON.stringify(report, null, 2)}\n`), path);
  closeOutput(fd, path);
}

const COLUMNS: readonly FindingName[] = [
  'samples',
  'order',
  'rule',
  'ledger',
  'period-mode',
  'model',
  'phases',
  'intervals',
];
const CELLS: Record<FindingState, string> = { ok: 'ok', differs: 'DIFFERS', 'not-available': '-' };

/** One row per recording; below it every sentence of what differs, or with `all` of everything. */
export function formatSelftest(
  report: SelftestReport,
  { colour, all }: { colour: boolean; all: boolean },
): string[] {
  const { machine, cases } = report;
  const { red, bold } = createPaint(colour);
  const rows = cases.map((one) => [
    ...titleOf(one),
    ...COLUMNS.map((name) => {
      const finding = one.findings.find((candidate) => candidate.name === name);
      return finding === undefined ? '' : CELLS[finding.state];
    }),
  ]);
  const table = formatTable(['event', 'rate', 'counts', ...COLUMNS], rows, { colour });
  const virtual = machine.isVirtual === true ? ', virtual' : '';
  return [
    `Linux ${printable(machine.kernel)}, ${machine.arch}, ${printable(machine.cpu)}${virtual}`,
    '',
    ...table.map((line) => line.replaceAll('DIFFERS', red('DIFFERS'))),
    ...cases.flatMap((one) => {
      const shown = one.findings.filter(({ state }) => all || state === 'differs');
      if (shown.length === 0) return [];
      const title = bold(titleLine(one));
      return [
        '',
        title,
        ...shown.map((f) => `  ${CELLS[f.state]}  ${f.name}: ${printable(f.sentence)}`),
      ];
    }),
    ...explainMissing(cases),
    '',
    report.ok === 0
      ? 'nothing could be measured; perf-ts doctor shows what stands in the way'
      : `${report.ok} ok, ${report.differs} differ, ${report.notAvailable} not available`,
  ];
}

/** Why cells are `-`: each reason once, without the numbers that differ from case to case. */
function explainMissing(cases: readonly CaseReport[]): string[] {
  const notRecorded = cases.filter(({ opened }) => opened === null);
  if (notRecorded.length === 0) return [];
  const lines = notRecorded.map(
    ({ event, findings }) => `  ${printable(event)}: ${printable(findings[0]?.sentence ?? '')}`,
  );
  return ['', 'not available:', ...lines];
}

function titleOf({ event, rate, counts, oneThread }: CaseSetup): [string, string, string] {
  const asked = 'freq' in rate ? `-F ${rate.freq}` : `-c ${rate.count}`;
  return [printable(event), asked, oneThread ? 'one thread' : counts ? 'yes' : ''];
}

function titleLine(one: CaseSetup): string {
  const [event, rate] = titleOf(one);
  return `${event} ${rate}${one.counts ? ' --counts' : ''}${one.oneThread ? ' --no-inherit' : ''}`;
}

function worstOf({ findings }: CaseReport): string {
  const differing = findings.filter(({ state }) => state === 'differs').map(({ name }) => name);
  if (differing.length > 0) return `differs: ${differing.join(', ')}`;
  return findings.some(({ state }) => state === 'ok') ? 'ok' : 'not available';
}
