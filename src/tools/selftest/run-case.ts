import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { parseEvents } from '../../kernel/events/parse-events.ts';
import type { RecordOptions } from '../../options/record.ts';
import type { PeriodRule } from '../../period/types.ts';
import { openProfile } from '../../read/open-profile.ts';
import { planOnly } from '../../record/prepare-recording.ts';
import { record } from '../../record/record.ts';
import { readEventSources } from '../../system/kernel/machine-events.ts';
import { packageFile } from '../../system/version.ts';
import { judgeCase } from './judge.ts';
import type { Marks } from './marks.ts';
import { measureCase, readLedger } from './measure.ts';
import type { CaseReport, CaseSetup } from './types.ts';

const WORKLOAD = 'dist/tools/selftest/workload.js';

/** An event as it would be opened here, or why it can't be. */
export type Openable =
  | { readonly kind: 'opens'; readonly name: string }
  | { readonly kind: 'refused'; readonly why: string };

/** Asks the kernel; an event for which a clock would be recorded instead counts as refused. */
export function tryOpening(event: string): Openable {
  try {
    const { plan, notices } = planOnly(
      optionsFor({ event, rate: { freq: 1000 }, counts: false, oneThread: false }, 'marks'),
    );
    const [planned] = plan.events;
    if (planned === undefined || plan.events.length > 1) {
      const names = plan.events.map(({ name }) => name).join(', ');
      return { kind: 'refused', why: `several events here (${names}): test one of them` };
    }
    const asked = parseEvents(event, readEventSources())[0];
    if (planned.spec.isClock && asked?.isClock !== true) {
      return { kind: 'refused', why: notices.join('; ') };
    }
    return { kind: 'opens', name: planned.name };
  } catch (error) {
    return { kind: 'refused', why: messageOf(error) };
  }
}

/** Records the workload once, and judges the recording. */
export async function runCase(
  setup: CaseSetup,
  folder: string,
  ruleByCounts: PeriodRule | null,
): Promise<CaseReport> {
  const file = join(folder, 'perf.data');
  const marksFile = join(folder, 'marks.json');
  try {
    const options = optionsFor(setup, marksFile);
    const recording = await record({ ...options, output: file });
    if (recording.exit?.status !== 0) throw new Error('the workload did not end well');
    const marks = JSON.parse(readFileSync(marksFile, 'utf8')) as Marks;
    const opened = await openProfile(file, { symbols: false });
    const name = recording.events[0] ?? setup.event;
    const ledger = readLedger(file, opened.profile);
    const numbers = measureCase(setup, name, opened, ledger, marks);
    return {
      ...setup,
      opened: name,
      notices: recording.notices,
      findings: numbers === null ? [] : judgeCase(setup, numbers, ruleByCounts),
      numbers,
    };
  } catch (error) {
    const sentence = messageOf(error).replaceAll(folder, '…');
    return { ...failed(setup), findings: [{ name: 'samples', state: 'differs', sentence }] };
  } finally {
    rmSync(file, { force: true });
    rmSync(`${file}.old`, { force: true });
    rmSync(marksFile, { force: true });
  }
}

/** The report of an event that is not here. */
export function unavailableCase(setup: CaseSetup, why: string): CaseReport {
  return {
    ...failed(setup),
    findings: [{ name: 'samples', state: 'not-available', sentence: why }],
  };
}

function failed(setup: CaseSetup): CaseReport {
  return { ...setup, opened: null, notices: [], findings: [], numbers: null };
}

function optionsFor(setup: CaseSetup, marksFile: string): RecordOptions {
  return {
    command: [process.execPath, packageFile(WORKLOAD), marksFile],
    events: [setup.event],
    ...setup.rate,
    counts: setup.counts,
    inherit: !setup.oneThread,
    // It is our own program, and it has to write into our folder.
    asRoot: process.geteuid?.() === 0,
    // Nobody's NODE_OPTIONS may change what it does, nor ours.
    nodeFlags: false,
    env: { PATH: process.env.PATH },
  };
}
