import { expect } from 'vitest';

type Column = readonly (number | string | boolean | null | object)[];
type Table = { readonly length: number } & { readonly [column: string]: Column };

/** What tests look at of a processed profile; the rest is checked, not typed. */
export type FirefoxFile = {
  readonly meta: {
    readonly categories: readonly { readonly name: string; readonly subcategories: string[] }[];
    readonly markerSchema: readonly { readonly name: string }[];
    readonly initialVisibleThreads: readonly number[];
    readonly [key: string]: unknown;
  };
  readonly libs: readonly Readonly<Record<string, string | null>>[];
  readonly shared: Readonly<Record<string, Table>> & { readonly stringArray: readonly string[] };
  readonly threads: readonly {
    readonly name: string;
    readonly pid: string;
    readonly processName: string;
    readonly tid: number | string;
    readonly isMainThread: boolean;
    readonly pausedRanges: readonly object[];
    readonly samples: {
      readonly length: number;
      readonly stack: readonly (number | null)[];
      readonly time: readonly number[];
      readonly weight: readonly number[] | null;
      readonly weightType: string;
      readonly threadCPUDelta?: readonly (number | null)[];
    };
    readonly markers: {
      readonly length: number;
      readonly name: readonly number[];
      readonly data: readonly ({ readonly type: string } & Record<string, unknown>)[];
      readonly startTime: readonly number[];
      readonly endTime: readonly (number | null)[];
      readonly phase: readonly number[];
    };
  }[];
};

/** The columns of version 70; a missing one is read as undefined by the viewer, without a word. */
const COLUMNS = {
  stackTable: ['frame', 'prefixOffset'],
  frameTable: [
    ...['address', 'lib', 'inlineDepth', 'category', 'subcategory', 'func', 'nativeSymbol'],
    ...['innerWindowID', 'line', 'column', 'originalLocation'],
  ],
  funcTable: [
    ...['name', 'isJS', 'relevantForJS', 'resource', 'source', 'lineNumber', 'columnNumber'],
    'originalLocation',
  ],
  resourceTable: ['name', 'host', 'type'],
  nativeSymbols: ['libIndex', 'address', 'name', 'functionSize'],
  sources: ['id', 'filename', 'startLine', 'startColumn', 'sourceMapURL', 'content'],
  sourceLocationTable: ['source', 'line', 'column'],
} as const;

/** Parses a processed profile and checks that it is one: columns, lengths, every index. */
export function readFirefox(text: string): FirefoxFile {
  const file = JSON.parse(text) as FirefoxFile;
  const { shared, libs, meta, threads } = file;
  expect(meta.version).toBe(36);
  expect(meta.preprocessedProfileVersion).toBe(70);
  for (const [name, columns] of Object.entries(COLUMNS)) {
    const { length, ...found } = shared[name];
    expect(Object.keys(found).sort(), name).toEqual([...columns].sort());
    for (const column of columns) expect(found[column], `${name}.${column}`).toHaveLength(length);
  }
  const strings = shared.stringArray.length;
  const { stackTable, frameTable, funcTable, resourceTable, sources } = shared as Record<
    string,
    Table
  >;
  expectIndexes(stackTable.frame, frameTable.length);
  for (const [row, offset] of stackTable.prefixOffset.entries()) {
    expect(Number(offset)).toBeGreaterThanOrEqual(0);
    expect(Number(offset)).toBeLessThanOrEqual(row);
  }
  expectIndexes(frameTable.func, funcTable.length);
  expectIndexes(frameTable.lib, libs.length, -1);
  for (const [frame, category] of frameTable.category.entries()) {
    const { subcategories } = meta.categories[Number(category)];
    expect(subcategories[Number(frameTable.subcategory[frame])]).toBeDefined();
  }
  expectIndexes(funcTable.name, strings);
  expectIndexes(funcTable.resource, resourceTable.length, -1);
  expectIndexes(funcTable.source, sources.length, null);
  expectIndexes(resourceTable.name, strings);
  expectIndexes(sources.filename, strings);
  expectIndexes(meta.initialVisibleThreads, threads.length);
  const ids = threads.map(({ tid }) => tid);
  expect(new Set(ids).size, 'tids are unique').toBe(ids.length);
  const schemas = meta.markerSchema.map(({ name }) => name);
  for (const { samples, markers } of threads) {
    expectIndexes(samples.stack, stackTable.length, null);
    for (const column of ['stack', 'time', 'weight', 'threadCPUDelta'] as const) {
      if (samples[column] == null) continue;
      expect(samples[column], column).toHaveLength(samples.length);
    }
    expect(samples.time).toEqual(samples.time.toSorted((a, b) => a - b));
    for (const column of ['name', 'data', 'startTime', 'endTime', 'phase'] as const) {
      expect(markers[column], column).toHaveLength(markers.length);
    }
    expectIndexes(markers.name, strings);
    for (const { type } of markers.data) expect(schemas).toContain(type);
  }
  return file;
}

function expectIndexes(column: Column, length: number, none?: number | null): void {
  for (const index of column) {
    if (none !== undefined && index === none) continue;
    expect(Number.isInteger(index) && Number(index) >= 0 && Number(index) < length).toBe(true);
  }
}

/** `leaf<caller<root` of a stack row. */
export function stackText({ shared }: FirefoxFile, stack: number | null): string {
  const { stackTable, frameTable, funcTable } = shared as unknown as Record<
    string,
    Record<string, number[]>
  >;
  const names: string[] = [];
  for (let row = stack; row !== null; ) {
    const func = frameTable.func[stackTable.frame[row]];
    names.push(shared.stringArray[funcTable.name[func]]);
    const offset = stackTable.prefixOffset[row];
    row = offset === 0 ? null : row - offset;
  }
  return names.join('<');
}
