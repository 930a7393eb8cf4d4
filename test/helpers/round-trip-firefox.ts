import { NONE } from '../../src/base/brand.ts';
import { SampleTableBuilder } from '../../src/profile/sample-table.ts';
import type {
  Dso,
  DsoKind,
  Profile,
  ProfileEvent,
  ProfileThread,
  Weights,
} from '../../src/profile/types.ts';
import { type FirefoxFile, readFirefox } from './firefox-profile.ts';
import { EMPTY_META } from './profile-from-text.ts';

const KIND_OF_CATEGORY: Record<string, DsoKind> = {
  'User/Other': 'user',
  'User/vDSO': 'vdso',
  'Kernel/Other': 'kernel',
  'Kernel/Module': 'module',
  'Guest/Other': 'guest',
  'Other/Other': 'unknown',
};

/** The tables are the profile's own, row by row; an address that was left out is the row's number. */
export function parseFirefox(text: string): { profile: Profile; weights: Weights } {
  const file = readFirefox(text);
  const { shared } = file;
  const numbers = (table: string, column: string) => shared[table][column] as number[];
  const frameFunc = numbers('frameTable', 'func');
  const funcDso = numbers('funcTable', 'resource');
  const resources = resourcesOfLibs(file);
  // Functions of two files with the same code have one of them; frames have their own.
  const frameDso = frameFunc.map((func, frame) => {
    const lib = numbers('frameTable', 'lib')[frame];
    return lib < 0 ? funcDso[func] : resources[lib];
  });
  const prefixOffset = numbers('stackTable', 'prefixOffset');
  const strings = [...shared.stringArray];
  const events = eventsOf(file);
  const kind = kindOf(extraOf(file, 'Weight'));

  const threads: ProfileThread[] = [];
  const samples = file.threads.flatMap((thread) => {
    const event = events.findIndex(({ name }) => thread.name.includes(` (${name}`));
    const comm = thread.name.slice(0, thread.name.lastIndexOf(` (${events[event].name}`));
    const [tid] = `${thread.tid}`.split(' ').map(Number) as [number];
    const [pid, generation] = thread.pid.split('.').map(Number) as [number, number?];
    // A thread's further events follow its first one.
    if (!`${thread.tid}`.includes(' event ')) {
      threads.push({ pid, tid, generation: generation ?? 0, comm });
    }
    const index = threads.length - 1;
    let name = strings.indexOf(comm);
    if (name < 0) name = strings.push(comm) - 1;
    const { stack, time, weight, weightType } = thread.samples;
    // Milliseconds that were nanoseconds are whole thousandths of them again.
    const weightOf = (value: number) =>
      weightType === 'tracing-ms' ? Math.round(value * 1e9) / 1e3 : value;
    return stack.map((row, i) => ({
      ...{ thread: index, comm: name, event, stack: row ?? NONE, timeNs: time[i] * 1e6 },
      weight: weightOf(weight![i]),
    }));
  });
  samples.sort((a, b) => a.timeNs - b.timeNs);
  const table = new SampleTableBuilder();
  for (const { stack, thread, comm, event, timeNs } of samples) {
    table.add(stack, thread, comm, event, NONE, NONE, timeNs, 1, Number.NaN);
  }
  const unit = events[0]?.unit ?? 'events';
  const profile: Profile = {
    meta: EMPTY_META,
    strings,
    events,
    dsos: dsosOf(file, frameDso),
    threads,
    streams: [],
    losses: [],
    lostStack: NONE,
    funcs: {
      length: funcDso.length,
      name: Int32Array.from(numbers('funcTable', 'name')),
      dso: Int32Array.from(funcDso),
      category: new Uint8Array(funcDso.length),
      isScript: new Uint8Array(funcDso.length),
      file: new Int32Array(funcDso.length).fill(NONE),
      line: new Int32Array(funcDso.length),
      column: new Int32Array(funcDso.length),
      v8Name: new Int32Array(funcDso.length).fill(NONE),
    },
    frames: {
      length: frameFunc.length,
      func: Int32Array.from(frameFunc),
      dso: Int32Array.from(frameDso),
      address: Float64Array.from(numbers('frameTable', 'address'), (address, frame) =>
        address < 0 ? frame : address,
      ),
      inlineDepth: Uint8Array.from(numbers('frameTable', 'inlineDepth')),
      file: Int32Array.from(frameFunc, (func) => {
        const source = numbers('funcTable', 'source')[func] as number | null;
        return source === null ? NONE : numbers('sources', 'filename')[source];
      }),
      line: Int32Array.from(numbers('frameTable', 'line'), (line) => line ?? 0),
      column: Int32Array.from(numbers('frameTable', 'column'), (column) => column ?? 0),
      tier: new Uint8Array(frameFunc.length),
    },
    stacks: {
      length: prefixOffset.length,
      frame: Int32Array.from(numbers('stackTable', 'frame')),
      prefix: Int32Array.from(prefixOffset, (offset, row) => (offset === 0 ? NONE : row - offset)),
    },
    samples: table.finish(),
  };
  const values = Float64Array.from(samples, ({ weight }) => weight);
  return { profile, weights: { kind, unit: kind === 'samples' ? 'samples' : unit, values } };
}

/** The rows of `resourceTable` that are libraries: in the same order, with others between them. */
function resourcesOfLibs({ shared, libs }: FirefoxFile): number[] {
  let last = -1;
  return libs.map(({ name }) => {
    const isIt = (index: unknown, row: number) =>
      row > last && shared.stringArray[index as number] === name;
    last = shared.resourceTable.name.findIndex(isIt);
    return last;
  });
}

function dsosOf({ shared, libs, meta }: FirefoxFile, frameDso: readonly number[]): Dso[] {
  const { frameTable, resourceTable } = shared;
  return (resourceTable.name as number[]).map((nameIndex, dso) => {
    const name = shared.stringArray[nameIndex];
    const frame = frameDso.indexOf(dso);
    // Without frames nothing says what it was, and nothing asks.
    if (frame < 0) return { kind: 'user', name, path: name, buildId: null };
    const category = meta.categories[Number(frameTable.category[frame])];
    const subcategory = category.subcategories[Number(frameTable.subcategory[frame])];
    const lib = libs[Number(frameTable.lib[frame])];
    const kind = KIND_OF_CATEGORY[`${category.name}/${subcategory}`] ?? 'jit';
    return { kind, name, path: lib?.path ?? name, buildId: lib?.codeId?.toLowerCase() ?? null };
  });
}

function eventsOf(file: FirefoxFile): ProfileEvent[] {
  const interval = Number(file.meta.interval);
  const names = extraOf(file, 'Events');
  if (names === '') return [];
  return names.split(', ').map((name) => {
    const isTime = file.threads.some((thread) => thread.name.endsWith(` (${name}, nanoseconds)`));
    return {
      name,
      type: 1,
      mode: interval === 1 ? 'period' : 'frequency',
      frequencyHz: interval === 1 ? null : 1e3 / interval,
      fixedPeriod: interval === 1 ? 1 : null,
      unit: isTime ? 'nanoseconds' : 'events',
    };
  });
}

function extraOf({ meta }: FirefoxFile, label: string): string {
  const [section] = meta.extra as { entries: { label: string; value: string }[] }[];
  return section.entries.find((entry) => entry.label === label)!.value;
}

function kindOf(title: string): Weights['kind'] {
  if (title === 'samples') return 'samples';
  return title.includes('period that each') ? 'period' : 'events';
}
