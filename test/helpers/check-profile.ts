import { NONE } from '../../src/base/brand.ts';
import { MARKER_DEPTH } from '../../src/profile/frame-table.ts';
import { isJitCode } from '../../src/profile/jit-dso.ts';
import { type Dso, FUNC_CATEGORIES, type Profile, TIERS } from '../../src/profile/types.ts';

/**
 * Throws unless `profile` keeps every invariant that `types.ts` states. The message names the
 * table, column and row, what was expected and what is there. Run at the end of every test that
 * makes a profile; it reads each column once.
 */
export function checkProfile(profile: Profile): void {
  checkFuncs(profile);
  checkFrames(profile);
  checkStacks(profile);
  checkSamples(profile);
  checkStreams(profile);
  checkLosses(profile);
}

function checkFuncs({ funcs, strings, dsos }: Profile): void {
  checkLengths('funcs', funcs);
  checkIndexes('funcs.name', funcs.name, 0, strings.length);
  checkIndexes('funcs.dso', funcs.dso, NONE, dsos.length);
  checkIndexes('funcs.category', funcs.category, 0, FUNC_CATEGORIES.length);
  checkIndexes('funcs.file', funcs.file, NONE, strings.length);
  checkDistinct('funcs', funcs.length, (row) => `${funcs.name[row]} ${funcs.dso[row]}`);
}

function checkFrames({ frames, funcs, strings, dsos }: Profile): void {
  checkLengths('frames', frames);
  checkIndexes('frames.func', frames.func, 0, funcs.length);
  checkIndexes('frames.dso', frames.dso, NONE, dsos.length);
  for (let row = 0; row < frames.length; row++) {
    const address = frames.address[row];
    // Outside every mapping a broken stack may have left anything: rounded, no code.
    const isAddress =
      frames.dso[row] === NONE ? Number.isInteger(address) : Number.isSafeInteger(address);
    if (!isAddress) fail(`frames.address[${row}]`, 'a safe integer', address);
    const funcDso = funcs.dso[frames.func[row]];
    const isStatement = frames.inlineDepth[row] === MARKER_DEPTH && frames.dso[row] === NONE;
    if (!isStatement && !haveSameCode(dsos[funcDso], dsos[frames.dso[row]])) {
      fail(`frames.dso[${row}]`, `its func's DSO ${funcDso}`, frames.dso[row]);
    }
    checkNotNegative(`frames.line[${row}]`, frames.line[row]);
  }
  checkIndexes('frames.tier', frames.tier, 0, TIERS.length);
  checkIndexes('frames.file', frames.file, NONE, strings.length);
  checkDistinct('frames', frames.length, (row) => {
    const place = `${frames.dso[row]} ${frames.address[row]} ${frames.inlineDepth[row]}`;
    const isJit = dsos[frames.dso[row]]?.kind === 'jit';
    return isJit ? `${place}, code object of frame ${row}` : place;
  });
}

/** `joinSameCode` gives functions of either the same row. */
function haveSameCode(a: Dso | undefined, b: Dso | undefined): boolean {
  if (a === undefined || b === undefined || a === b) return a === b;
  if (isJitCode(a) && isJitCode(b)) return true;
  return a.buildId !== null && a.buildId === b.buildId && a.name === b.name;
}

function checkStacks({ stacks, frames, lostStack }: Profile): void {
  checkLengths('stacks', stacks);
  checkIndexes('stacks.frame', stacks.frame, 0, frames.length);
  for (let row = 0; row < stacks.length; row++) {
    const prefix = stacks.prefix[row];
    if (prefix < NONE || prefix >= row) {
      fail(`stacks.prefix[${row}]`, `−1 or an earlier row (below ${row})`, prefix);
    }
  }
  checkDistinct('stacks', stacks.length, (row) => `${stacks.prefix[row]} ${stacks.frame[row]}`);
  checkIndex('lostStack', lostStack, NONE, stacks.length);
}

function checkSamples({ samples, stacks, threads, strings, events, streams }: Profile): void {
  checkLengths('samples', samples);
  checkIndexes('samples.stack', samples.stack, NONE, stacks.length);
  checkIndexes('samples.thread', samples.thread, 0, threads.length);
  checkIndexes('samples.comm', samples.comm, 0, strings.length);
  checkIndexes('samples.event', samples.event, 0, events.length);
  checkIndexes('samples.stream', samples.stream, NONE, streams.length);
  const hasTimes = !Number.isNaN(samples.timeNs[0]);
  for (let row = 0; row < samples.length; row++) {
    const timeNs = samples.timeNs[row];
    const earlier = row === 0 ? 0 : samples.timeNs[row - 1];
    const isInOrder = hasTimes ? timeNs >= earlier : Number.isNaN(timeNs);
    if (!isInOrder) fail(`samples.timeNs[${row}]`, `at least ${earlier}`, timeNs);
    const period = samples.periodEvents[row];
    if (!(period >= 0)) fail(`samples.periodEvents[${row}]`, 'a number, 0 or more', period);
    const cpu = samples.cpu[row];
    if (cpu < NONE) fail(`samples.cpu[${row}]`, '−1 or a CPU number', cpu);
    const event = samples.event[row];
    const stream = samples.stream[row];
    if (stream !== NONE && streams[stream]?.event !== event) {
      fail(`samples.event[${row}]`, `its stream's event ${streams[stream]?.event}`, event);
    }
  }
}

function checkStreams({ streams, events }: Profile): void {
  for (const [row, stream] of streams.entries()) {
    checkIndex(`streams[${row}].event`, stream.event, 0, events.length);
  }
}

function checkLosses({ losses, events }: Profile): void {
  for (const [row, loss] of losses.entries()) {
    checkIndex(`losses[${row}].event`, loss.event, 0, events.length);
    checkNotNegative(`losses[${row}].lostRecords`, loss.lostRecords);
    checkNotNegative(`losses[${row}].lostSamples`, loss.lostSamples);
  }
}

function fail(where: string, expected: string, actual: unknown): never {
  throw new Error(`${where}: expected ${expected}, found ${String(actual)}`);
}

function checkNotNegative(where: string, value: number): void {
  if (!(value >= 0)) fail(where, '0 or more', value);
}

/** Every column that `table` has is exactly as long as the table says it is. */
function checkLengths(name: string, table: { readonly length: number }): void {
  for (const [column, values] of Object.entries(table)) {
    if (column === 'length' || values === null) continue;
    const { length } = values as unknown as ArrayLike<unknown>;
    if (length !== table.length) fail(`${name}.${column}.length`, String(table.length), length);
  }
}

function checkIndexes(where: string, column: ArrayLike<number>, lowest: number, end: number): void {
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    if (value < lowest || value >= end) checkIndex(`${where}[${row}]`, value, lowest, end);
  }
}

function checkIndex(where: string, value: number, lowest: number, end: number): void {
  if (!(value >= lowest && value < end))
    fail(where, `an index from ${lowest} to ${end - 1}`, value);
}

function checkDistinct(table: string, length: number, keyOf: (row: number) => string): void {
  const rowOf = new Map<string, number>();
  for (let row = 0; row < length; row++) {
    const key = keyOf(row);
    const earlier = rowOf.get(key);
    if (earlier !== undefined) fail(`${table} row ${row}`, 'distinct rows', `row ${earlier} again`);
    rowOf.set(key, row);
  }
}
