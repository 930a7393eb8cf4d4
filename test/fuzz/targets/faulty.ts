// Readers that do what no reader may, by which `supervisor.test.ts` sees that `run.mjs` finds it.

import { type Target, toBytes, toText } from '../target.ts';

/** `act` has the case's number. */
function faulty(name: string, act: (number: number) => void): Target {
  return {
    name,
    seeds: () => [toBytes('seed')],
    mutate: (_seeds, _random, number) => toBytes(String(number)),
    read: (bytes) => act(Number(toText(bytes))),
  };
}

/** The number of the case that fails; those around it are read. */
const BAD = 3;

export const FAULTY_TARGETS: readonly Target[] = [
  faulty('faulty-endless', (number) => {
    while (number === BAD);
  }),
  faulty('faulty-large', (number) => {
    if (number === BAD) new Uint8Array(2 ** 30 + 2 ** 28).fill(1);
  }),
  faulty('faulty-heap', (number) => {
    const kept: string[][] = [];
    while (number === BAD) kept.push(new Array<string>(2 ** 20).fill('kept'));
  }),
  faulty('faulty-error', (number) => {
    if (number === BAD) throw new TypeError('a reader fell over');
  }),
];
