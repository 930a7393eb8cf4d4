/**
 * The program that the selftest records: plain JavaScript once built, so that it runs wherever
 * perf-ts does. Six phases, each with another account of what it did:
 *
 *   spin-1      a loop for about 60 ms                      instructions, cycles: 1 part …
 *   spin-3      the same loop, three times as many rounds   … and 3 parts
 *   touch-fast  fresh pages, one after the other            page faults at a high rate
 *   touch-slow  fresh pages with computing in between       page faults at a low rate
 *   calls-1     system calls                                1 part …
 *   calls-3     the same, three times as many               … and 3 parts
 *
 * Usage: node workload.js FILE; writes `Marks` into FILE.
 */

import { fstatSync, writeFileSync } from 'node:fs';
import type { Marks, PhaseMarks, PhaseName } from './marks.ts';

const SPIN_NS = 60e6;
const REST_MS = 15;
const CALLS = 40_000;

/** Small enough that no huge page serves a whole buffer, large enough to be mapped afresh. */
const BUFFER_BYTES = 512 * 1024;
const PAGE_BYTES = 4096;
const FAST_BUFFERS = 120;
const SLOW_BUFFERS = 30;
const ROUNDS_BETWEEN_PAGES = 15_000;

const clock = new Int32Array(new SharedArrayBuffer(4));
/** Keeps buffers alive, so that every new one has pages that nobody touched. */
const buffers: Buffer[] = [];
let sink = 0;

/** Integer steps that depend on each other: nothing to skip, no memory, no system call. */
function spin(rounds: number): void {
  let state = sink | 1;
  for (let i = 0; i < rounds; i++) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    state ^= state << 7;
  }
  sink = state;
}

function touch(count: number, roundsBetween: number): void {
  for (let i = 0; i < count; i++) {
    const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    buffers.push(buffer);
    for (let at = 0; at < BUFFER_BYTES; at += PAGE_BYTES) {
      buffer[at] = i;
      if (roundsBetween > 0) spin(roundsBetween);
    }
  }
}

function call(count: number): void {
  for (let i = 0; i < count; i++) fstatSync(0);
}

/** Rounds of `spin` in about 60 ms; before that enough of them for the compiler to be done. */
function calibrate(): number {
  let rounds = 100_000;
  for (;;) {
    const start = process.hrtime.bigint();
    spin(rounds);
    const tookNs = Number(process.hrtime.bigint() - start);
    if (tookNs > SPIN_NS / 4) return Math.round((rounds * SPIN_NS) / tookNs);
    rounds *= 2;
  }
}

function rest(): void {
  Atomics.wait(clock, 0, 0, REST_MS);
}

type Account = Pick<PhaseMarks, 'loopRounds' | 'calls'>;

function measure(name: PhaseName, account: Partial<Account>, work: () => void): PhaseMarks {
  rest();
  const before = process.resourceUsage();
  const start = process.hrtime.bigint();
  work();
  const end = process.hrtime.bigint();
  const after = process.resourceUsage();
  const cpuMicros = (usage: NodeJS.ResourceUsage) => usage.userCPUTime + usage.systemCPUTime;
  const faults = (usage: NodeJS.ResourceUsage) => usage.minorPageFault + usage.majorPageFault;
  return {
    name,
    startNs: String(start),
    endNs: String(end),
    cpuNs: (cpuMicros(after) - cpuMicros(before)) * 1000,
    faults: faults(after) - faults(before),
    loopRounds: 0,
    calls: 0,
    ...account,
  };
}

function run(): Marks {
  call(1000);
  const rounds = calibrate();
  const phases = [
    measure('spin-1', { loopRounds: rounds }, () => spin(rounds)),
    measure('spin-3', { loopRounds: 3 * rounds }, () => spin(3 * rounds)),
    measure('touch-fast', {}, () => touch(FAST_BUFFERS, 0)),
    measure('touch-slow', {}, () => touch(SLOW_BUFFERS, ROUNDS_BETWEEN_PAGES)),
    measure('calls-1', { calls: CALLS }, () => call(CALLS)),
    measure('calls-3', { calls: 3 * CALLS }, () => call(3 * CALLS)),
  ];
  rest();
  return { phases, endNs: String(process.hrtime.bigint()) };
}

writeFileSync(process.argv[2], JSON.stringify(run()));
