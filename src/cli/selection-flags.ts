import { parseCpuList } from '../base/cpu-list.ts';
import { UsageError } from '../base/errors.ts';
import type { SampleSelection } from '../profile/filter.ts';
import { parseTimeRanges, type RecordedTime } from '../profile/time-range.ts';
import { wholeNumber } from './option-values.ts';

/** The options that choose among the samples of a recording, as perf names them. */
export type SelectionFlags = {
  readonly time?: string;
  readonly cpu?: string;
  readonly pid?: string;
  readonly tid?: string;
  readonly comm?: string;
  readonly dso?: string;
  readonly symbol?: string;
};

/** The samples that the options ask for. Throws `UsageError` naming the option. */
export function parseSelection(
  flags: SelectionFlags,
  recorded: () => RecordedTime,
): SampleSelection {
  const { time, cpu, pid, tid, comm, dso, symbol } = flags;
  return {
    ...(time !== undefined && { times: parseTimeRanges(time, recorded()) }),
    ...(cpu !== undefined && { cpus: new Set(cpusOf(cpu)) }),
    ...(pid !== undefined && { pids: numbers('--pid', pid) }),
    ...(tid !== undefined && { tids: numbers('--tid', tid) }),
    ...(comm !== undefined && { comms: names('--comm', comm) }),
    ...(dso !== undefined && { dsos: names('--dso', dso) }),
    ...(symbol !== undefined && { symbols: names('--symbol', symbol) }),
  };
}

/** What was asked for, in one line: `--comm node --cpu 0-3`. */
export function selectionText(flags: SelectionFlags): string {
  const { time, cpu, pid, tid, comm, dso, symbol } = flags;
  return Object.entries({ time, cpu, pid, tid, comm, dso, symbol })
    .filter(([, value]) => value !== undefined)
    .map(([option, value]) => `--${option} ${value}`)
    .join(' ');
}

function cpusOf(text: string): readonly number[] {
  try {
    return parseCpuList(text);
  } catch (error) {
    throw new UsageError(`--cpu ${text}: ${(error as Error).message}`);
  }
}

function numbers(option: string, text: string): Set<number> {
  return new Set(text.split(',').map((part) => wholeNumber(option, part)));
}

function names(option: string, text: string): Set<string> {
  const list = text.split(',').filter((name) => name !== '');
  if (list.length === 0) throw new UsageError(`${option} ${text}: expected names`);
  return new Set(list);
}
