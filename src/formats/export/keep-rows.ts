import { NONE } from '../../base/brand.ts';
import { addToList } from '../../base/group-by.ts';
import type { IntColumn } from '../../base/int-column.ts';
import type { TurnLoop } from '../../profile/turn-table.ts';
import type { Dso, FuncTable, Profile, ProfileThread } from '../../profile/types.ts';

/**
 * The profile with its strings, functions, DSOs and threads in the rows that they have in `earlier`, a
 * reading of the same recording when it was shorter; what is new comes behind. A page that follows
 * the recording has its state as rows, so a function must not move when another one appears. What is
 * there no more (a JIT gave code another name) keeps a row that nothing refers to.
 */
export function keepRows(profile: Profile, earlier: Profile): Profile {
  const strings = keepOrder(profile.strings, earlier.strings);
  const dsos = keepEntries(profile.dsos, earlier.dsos, dsoKey);
  const threads = keepEntries(profile.threads, earlier.threads, threadKey);
  const { frames, samples } = profile;
  const { funcs, rowOf } = keepFuncs(
    {
      ...profile.funcs,
      name: mapColumn(profile.funcs.name, strings.rowOf),
      file: mapColumn(profile.funcs.file, strings.rowOf),
      v8Name: mapColumn(profile.funcs.v8Name, strings.rowOf),
      dso: mapColumn(profile.funcs.dso, dsos.rowOf),
    },
    earlier.funcs,
  );
  const { turns, marks } = profile;
  const kept = (loops: readonly TurnLoop[]): TurnLoop[] =>
    loops.map((loop) => ({
      ...loop,
      thread: loop.thread === NONE ? NONE : threads.rowOf[loop.thread],
    }));
  return {
    ...profile,
    ...(turns !== undefined && { turns: { ...turns, loops: kept(turns.loops) } }),
    ...(marks !== undefined && { marks: { ...marks, loops: kept(marks.loops) } }),
    strings: strings.values,
    dsos: dsos.entries,
    threads: threads.entries,
    funcs,
    frames: {
      ...frames,
      func: mapColumn(frames.func, rowOf),
      dso: mapColumn(frames.dso, dsos.rowOf),
      file: mapColumn(frames.file, strings.rowOf),
    },
    samples: {
      ...samples,
      comm: mapColumn(samples.comm, strings.rowOf),
      thread: mapColumn(samples.thread, threads.rowOf),
    },
  };
}

function keepFuncs(
  funcs: FuncTable,
  gone: FuncTable,
): { readonly funcs: FuncTable; readonly rowOf: Int32Array } {
  const { values, rowOf } = keepOrder(funcKeys(funcs), funcKeys(gone));
  const { length } = values;
  const keep = <Column extends Int32Array | Uint8Array>(
    into: Column,
    before: Column,
    from: Column,
  ): Column => {
    into.set(before);
    for (let row = 0; row < funcs.length; row++) into[rowOf[row]] = from[row];
    return into;
  };
  return {
    rowOf,
    funcs: {
      length,
      name: keep(new Int32Array(length), gone.name, funcs.name),
      dso: keep(new Int32Array(length), gone.dso, funcs.dso),
      category: keep(new Uint8Array(length), gone.category, funcs.category),
      isScript: keep(new Uint8Array(length), gone.isScript, funcs.isScript),
      file: keep(new Int32Array(length), gone.file, funcs.file),
      line: keep(new Int32Array(length), gone.line, funcs.line),
      column: keep(new Int32Array(length), gone.column, funcs.column),
      v8Name: keep(new Int32Array(length), gone.v8Name, funcs.v8Name),
    },
  };
}

/** The earlier entries first, each as it is now: a build ID and the last comm come late. */
function keepEntries<Entry>(
  present: readonly Entry[],
  earlier: readonly Entry[],
  keyOf: (entry: Entry) => string,
): { readonly entries: readonly Entry[]; readonly rowOf: Int32Array } {
  const { rowOf } = keepOrder(present.map(keyOf), earlier.map(keyOf));
  const entries = [...earlier];
  for (let row = 0; row < present.length; row++) entries[rowOf[row]] = present[row];
  return { entries, rowOf };
}

const dsoKey = ({ kind, path }: Dso): string => `${kind} ${path}`;
const threadKey = ({ pid, tid, generation }: ProfileThread): string =>
  `${pid} ${tid} ${generation}`;

/** The earlier values first; `rowOf` has the new row of each present value. */
function keepOrder(
  present: readonly string[],
  earlier: readonly string[],
): { readonly values: readonly string[]; readonly rowOf: Int32Array } {
  const values = [...earlier];
  // Rows of equal values, first to last: printable texts may be equal where raw ones were not.
  const free = new Map<string, number[]>();
  for (let row = earlier.length - 1; row >= 0; row--) addToList(free, earlier[row], row);
  const rowOf = Int32Array.from(present, (value) => {
    const row = free.get(value)?.pop();
    return row ?? values.push(value) - 1;
  });
  return { values, rowOf };
}

function funcKeys({
  length,
  name,
  dso,
  file,
}: Pick<FuncTable, 'length' | 'name' | 'dso' | 'file'>) {
  return Array.from({ length }, (_, row) => `${name[row]} ${dso[row]} ${file[row]}`);
}

function mapColumn(column: IntColumn, rowOf: Int32Array): Int32Array {
  const mapped = new Int32Array(column.length);
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    mapped[row] = value < 0 ? NONE : rowOf[value];
  }
  return mapped;
}
