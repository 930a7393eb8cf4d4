// The addon with arguments of wrong types and sizes: an error that says so, never the end of the process.

import { describe, expect, it } from 'vitest';
import { loadBinding } from '../../src/native/binding.ts';
import { seededRandom } from '../helpers/random.ts';
import { PAGE_FAULTS, SIDEBAND } from './sampler-setup.ts';

type Loose = { readonly [name: string]: (...words: unknown[]) => unknown };
type LooseClass = new (...words: unknown[]) => Loose & { close(): void };

const addon = (() => {
  try {
    return loadBinding();
  } catch {
    return null;
  }
})();

function detached(): Uint8Array {
  const bytes = new Uint8Array(64);
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
}

const WRONG: readonly unknown[] = [
  undefined,
  null,
  true,
  '',
  'x\0y',
  'lone \ud800',
  -2,
  0.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  -(2 ** 31) - 1,
  5n,
  Symbol('s'),
  () => 1,
  {},
  [],
  [null],
  [[[]]],
  new Array(3),
  new Uint8Array(0),
  new Uint8Array(63),
  new Uint8Array(4096),
  new Uint8Array(new SharedArrayBuffer(64)),
  new Float64Array(8),
  new BigUint64Array(0),
  new DataView(new ArrayBuffer(8)),
  detached(),
  new Proxy([], {}),
  new Proxy({}, { get: () => ({}) }),
  {
    get kind() {
      throw new RangeError('a getter that throws');
    },
  },
];

const SAMPLER = {
  events: [
    { attr: PAGE_FAULTS, leader: -1, cpus: [0] },
    { attr: PAGE_FAULTS, leader: 0 },
  ],
  sideband: SIDEBAND,
  cpus: [0],
  target: { kind: 'threads', tids: [process.pid] },
  ringPages: 1,
  sidebandPages: 1,
  latencyMs: 10,
  delayed: true,
};
const COUNTERS = { events: [PAGE_FAULTS, PAGE_FAULTS], pid: 0, cpu: -1 };
const COMMAND = {
  path: '/bin/true',
  argv: ['true'],
  env: ['A=B'],
  user: { uid: 0, gid: 0, groups: [0] },
};

/** The same with one value, at any depth, replaced by a wrong one, or left out. */
function withWrong(value: unknown, random: () => number): unknown {
  const wrong = WRONG[Math.floor(random() * WRONG.length)];
  const isTree = typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
  if (!isTree || random() < 0.15) return wrong;
  const keys = Object.keys(value);
  const key = keys[Math.floor(random() * keys.length)];
  if (key === undefined) return wrong;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  if (random() < 0.1) delete copy[key];
  else copy[key] = withWrong(copy[key], random);
  return copy;
}

/** What it gives, or the error, which must be one. */
function attempt<T>(act: () => T): T | Error {
  try {
    return act();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return error as Error;
  }
}

describe.skipIf(addon === null)('wrong arguments', () => {
  const binding = addon as unknown as Loose & Record<string, LooseClass>;

  it.each([
    ['Sampler', SAMPLER],
    ['CounterGroup', COUNTERS],
    ['HeldCommand', COMMAND],
  ])('wrong arguments of a new %s are refused or harmless', (name, options) => {
    const random = seededRandom(7);
    const create = binding[name] as unknown as LooseClass;
    let refused = 0;
    for (let i = 0; i < 400; i++) {
      const made = attempt(() => new create(withWrong(options, random)));
      if (made instanceof Error) refused++;
      else made.close();
    }
    expect(refused).toBeGreaterThan(200);
    expect(attempt(() => (create as unknown as () => unknown)())).toBeInstanceOf(Error);
    expect(attempt(() => new create())).toBeInstanceOf(TypeError);
  });

  it.each([
    'probeEvent',
    'probePeriods',
    'demangle',
    'raiseFdLimit',
    'readCpuid',
    'readClockPair',
    'mapBlocksFrom',
  ])('wrong arguments of %s are refused or harmless', (name) => {
    const call = (binding as Loose)[name] as (...words: unknown[]) => unknown;
    let refused = 0;
    for (const first of WRONG) {
      for (const second of WRONG) {
        if (attempt(() => call(first, second, -1)) instanceof Error) refused++;
      }
    }
    expect(refused).toBeGreaterThan(WRONG.length);
  });

  it("wrong arguments of a counter group's methods are refused or harmless", () => {
    const group = attempt(() => new (binding.CounterGroup as unknown as LooseClass)(COUNTERS));
    // Without permission there is no group to call.
    if (group instanceof Error) return;
    for (const wrong of WRONG) {
      attempt(() => (group.read as (into: unknown) => unknown)(wrong));
      attempt(() => (group.enable as (word: unknown) => unknown)(wrong));
      attempt(() => (group.read as () => unknown).call(wrong));
    }
    expect(attempt(() => (group.read as (into: unknown) => unknown)(undefined))).toBeInstanceOf(
      TypeError,
    );
    group.close();
    expect(attempt(() => (group.enable as () => unknown)())).toMatchObject({ code: 'ERR_CLOSED' });
  });
});
