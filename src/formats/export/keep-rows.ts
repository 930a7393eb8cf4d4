import { NONE } from '../../base/brand.ts';
import type { FuncTable, Profile } from '../../profile/types.ts';

/**
 * The profile with its strings and functions in the rows that they have in `earlier`, a reading of
 * the same recording when it was shorter; what is new comes behind. A page that is shown again has
 * its state as rows, so a function must not move when another one appears. Functions that are
 * there no more (a JIT gave their code another name) keep a row that nothing refers to.
 */
export function keepRows(profile: Profile, earlier: Profile): Profile {
  const strings = keepOrder(profile.strings, earlier.strings);
  const { funcs, frames, samples } = profile;
  const renamed: Pick<FuncTable, 'length' | 'name' | 'file' | 'dso'> = {
    length: funcs.length,
    name: mapColumn(funcs.name, strings.rowOf),
    file: mapColumn(funcs.file, strings.rowOf),
    dso: funcs.dso,
  };
  const kept = keepOrder(funcKeys(renamed), funcKeys(earlier.funcs));
  const { length } = kept.values;
  const place = <Column extends Int32Array | Uint8Array>(into: Column, from: Column): Column => {
    for (let row = 0; row < funcs.length; row++) into[kept.rowOf[row]] = from[row];
    return into;
  };
  const gone = earlier.funcs;
  const before = (column: Int32Array) => {
    const grown = new Int32Array(length);
    grown.set(column);
    return grown;
  };
  return {
    ...profile,
    strings: strings.values,
    funcs: {
      length,
      name: place(before(gone.name), renamed.name),
      dso: place(before(gone.dso), renamed.dso),
      category: place(new Uint8Array(length), funcs.category),
      file: place(before(gone.file), renamed.file),
      line: place(before(gone.line), funcs.line),
      column: place(before(gone.column), funcs.column),
    },
    frames: {
      ...frames,
      func: mapColumn(frames.func, kept.rowOf),
      file: mapColumn(frames.file, strings.rowOf),
    },
    samples: { ...samples, comm: mapColumn(samples.comm, strings.rowOf) },
  };
}

/** The earlier values first; `rowOf` has the new row of each present value. */
function keepOrder(
  present: readonly string[],
  earlier: readonly string[],
): { readonly values: readonly string[]; readonly rowOf: Int32Array } {
  const values = [...earlier];
  // Rows of equal values, first to last: printable texts may be equal where raw ones were not.
  const free = new Map<string, number[]>();
  for (let row = earlier.length - 1; row >= 0; row--) {
    const rows = free.get(earlier[row]);
    if (rows === undefined) free.set(earlier[row], [row]);
    else rows.push(row);
  }
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

function mapColumn(column: Int32Array, rowOf: Int32Array): Int32Array {
  const mapped = new Int32Array(column.length);
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    mapped[row] = value < 0 ? NONE : rowOf[value];
  }
  return mapped;
}
