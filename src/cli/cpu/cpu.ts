import { readFileSync } from 'node:fs';
import { formatCpuList } from '../../base/cpu-list.ts';
import { FailedError, failedBy, UsageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { decodeCapabilities } from '../../counting/cpu/capabilities.ts';
import { parseLeafDumps } from '../../counting/cpu/leaf-dump.ts';
import { type CoreKind, readCores } from '../../counting/processor/cores.ts';
import { type CpuReport, reportCpu } from '../../counting/processor/cpu-report.ts';
import type { SelectVendor } from '../../kernel/events/event-select-layouts.ts';
import type { AskedOf } from '../../options/option.ts';
import { wantsColour } from '../shared/colour.ts';
import { printJson, writeText } from '../shared/stdout.ts';
import { explainedJson, explainLines, parseRegister } from './cpu-explain.ts';
import { coreLines, pmuLines } from './cpu-lines.ts';
import type { CPU } from './cpu-options.ts';

type CpuFlags = AskedOf<typeof CPU>;

/** `perf-ts cpu`: what this processor can count, or one of which there is a dump; event selects. */
export async function runCpu(flags: CpuFlags): Promise<void> {
  if (flags.explain !== undefined) {
    runExplain(flags.explain, flags);
    return;
  }
  if (flags.vendor !== undefined) throw new UsageError('--vendor belongs to --explain');
  if (flags.leaves !== undefined) runDump(flags.leaves, flags);
  else printReport(reportCpu(), flags);
}

function runExplain(text: string, flags: CpuFlags): void {
  if (flags.leaves !== undefined) throw new UsageError('--leaves does not go with --explain');
  const register = parseRegister(text);
  const vendor = flags.vendor ?? vendorHere();
  if (flags.json) printJson(explainedJson(register, vendor));
  else writeText(`${explainLines(register, vendor, { colour: wantsColour() }).join('\n')}\n`);
}

/** The layout of this machine's registers; Intel's where the processor can't be asked. */
function vendorHere(): SelectVendor {
  if (process.arch === 'arm64') return 'arm';
  try {
    return readCores()[0]?.capabilities?.identity.vendor === 'amd' ? 'amd' : 'intel';
  } catch {
    return 'intel';
  }
}

function runDump(path: string, flags: CpuFlags): void {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw failedBy(code, `${printable(path)}: cannot be read (${code})`);
  }
  const cores = parseLeafDumps(text).map(
    ({ cpu, leaves }): CoreKind => ({
      cpus: [cpu],
      capabilities: decodeCapabilities(leaves),
      arm: null,
    }),
  );
  if (cores.length === 0) {
    throw new FailedError(`${printable(path)}: no CPUID leaves in it`, [
      'what is read: the output of cpuid -r, or a CPUID dump of AIDA64',
    ]);
  }
  if (flags.json) printJson({ schema: 'perf-ts/cpu-dump@1', cores });
  else writeText(`${coresOf(cores).join('\n')}\n`);
}

function printReport(report: CpuReport, flags: CpuFlags): void {
  if (flags.json) {
    printJson(report);
    return;
  }
  const lines = [...coresOf(report.cores), '', ...pmuLines(report, { colour: wantsColour() })];
  writeText(`${lines.join('\n')}\n`);
}

function coresOf(cores: readonly CoreKind[]): string[] {
  return cores.flatMap((core, index) => [
    ...(index > 0 ? [''] : []),
    ...(cores.length > 1 ? [`CPU ${formatCpuList(core.cpus)}`] : []),
    ...coreLines(core, { colour: wantsColour() }),
  ]);
}
