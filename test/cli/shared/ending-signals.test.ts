import { constants } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type EndingRule,
  EndingSignals,
  SIGNAL_DEBOUNCE_MS,
} from '../../../src/cli/shared/ending-signals.ts';

vi.mock('../../../src/cli/shared/exit.ts', () => ({
  quit: (status: number) => log.push(`quit ${status}`),
}));
let sender = 0;
let isOfGroup = false;
vi.mock('../../../src/system/processes/process-tree.ts', async (original) => ({
  ...(await original<object>()),
  signalsOurGroup: () => isOfGroup,
}));
vi.mock('../../../src/system/time/signal-origin.ts', () => ({
  FROM_KERNEL: -1,
  noteSignalOrigin: () => {},
  senderOfSignal: () => sender,
}));

const { SIGINT, SIGTERM } = constants.signals;
const log: string[] = [];
const running = {
  childPid: -1,
  stop: () => void log.push('stop'),
  kill: (signal: number) => log.push(`kill ${signal}`) > 0,
};
const opened: EndingSignals[] = [];

function listen(rule: EndingRule): EndingSignals {
  const signals = new EndingSignals(rule);
  opened.push(signals);
  return signals;
}

function takeLog(): string[] {
  return log.splice(0);
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(async () => {
  for (const signals of opened.splice(0)) await signals.release();
  takeLog();
  vi.useRealTimers();
});

describe('signals that end a recording', () => {
  const RECORD = { first: 'stop', again: 'quit-once-complete' } as const;

  it('the first one goes to the command and stops; a repetition quits once the file is complete', () => {
    const signals = listen(RECORD);
    signals.begin(running);
    signals.end('SIGINT');
    expect(takeLog()).toEqual([`kill ${SIGINT}`, 'stop']);
    signals.end('SIGINT', true);
    expect(takeLog()).toEqual(['stop']);
    signals.complete();
    expect(takeLog()).toEqual(['quit 130']);
  });

  it('a second Ctrl-C quits at once where the file is complete, or the first is long ago', () => {
    const complete = listen(RECORD);
    complete.begin(running);
    complete.end('SIGTERM');
    complete.complete();
    takeLog();
    complete.end('SIGINT');
    expect(takeLog()[0]).toBe('quit 130');

    const stuck = listen(RECORD);
    stuck.begin(running);
    stuck.end('SIGINT');
    takeLog();
    vi.advanceTimersByTime(SIGNAL_DEBOUNCE_MS + 1);
    stuck.end('SIGTERM');
    expect(takeLog()).toEqual([`kill ${SIGTERM}`, 'stop']);
    stuck.end('SIGINT');
    expect(takeLog()[0]).toBe('quit 130');
  });

  it('signals before the beginning abort what is waited for, and are passed on then', () => {
    const signals = listen(RECORD);
    expect(signals.abortSignal.aborted).toBe(false);
    signals.end('SIGTERM');
    expect(signals.abortSignal.reason).toMatchObject({
      message: 'SIGTERM ended the recording before it began',
      exitStatus: 143,
    });
    expect(takeLog()).toEqual([]);
    signals.begin(running);
    expect(takeLog()).toEqual([`kill ${SIGTERM}`, 'stop']);
  });

  it('a signal from outside is heard until release', async () => {
    const signals = listen(RECORD);
    signals.begin(running);
    process.emit('SIGTERM', 'SIGTERM');
    expect(takeLog()).toEqual([`kill ${SIGTERM}`, 'stop']);
    expect([signals.sent, signals.endedBy]).toEqual([SIGTERM, 'SIGTERM']);
    const before = process.listenerCount('SIGTERM');
    await signals.release();
    expect(process.listenerCount('SIGTERM')).toBe(before - 1);
  });

  it('a signal that its sender repeats within a moment is one, as timeout(1) sends it to us and to our group', async () => {
    const signals = listen(RECORD);
    signals.begin(running);
    sender = process.ppid;
    isOfGroup = true;
    process.emit('SIGINT', 'SIGINT');
    process.emit('SIGINT', 'SIGINT');
    // The command is of the group, too.
    expect(takeLog()).toEqual(['stop']);
    vi.advanceTimersByTime(SIGNAL_DEBOUNCE_MS + 1);
    process.emit('SIGINT', 'SIGINT');
    isOfGroup = false;
    expect(takeLog()).toEqual(['quit 130', 'stop']);
  });

  it('a signal that another process repeats is a second one, however soon', async () => {
    const signals = listen(RECORD);
    signals.begin(running);
    signals.complete();
    sender = process.ppid;
    process.emit('SIGINT', 'SIGINT');
    process.emit('SIGINT', 'SIGINT');
    sender = 0;
    expect(takeLog()).toEqual([`kill ${SIGINT}`, 'stop', 'quit 130', `kill ${SIGINT}`, 'stop']);
  });

  it('one that came while the thread was busy is heard before release', async () => {
    const signals = listen(RECORD);
    signals.begin(running);
    process.kill(process.pid, 'SIGTERM');
    // Node tells of it once nothing runs: as yet it has not.
    expect(signals.endedBy).toBe(null);
    await signals.release();
    expect(signals.endedBy).toBe('SIGTERM');
  });
});

it('signals that end top: the second Ctrl-C quits', () => {
  const signals = listen({ first: 'stop', again: 'quit' });
  signals.begin(running);
  signals.end('SIGTERM');
  expect([signals.sent, signals.endedBy]).toEqual([SIGTERM, null]);
  takeLog();
  signals.end('SIGINT');
  expect(takeLog()[0]).toBe('quit 130');
});

it('signals that end a count of a command: the first is for the command, the second stops', () => {
  const signals = listen({ first: 'forward', again: 'stop' });
  signals.begin(running);
  signals.end('SIGINT');
  expect(takeLog()).toEqual([`kill ${SIGINT}`]);
  signals.end('SIGTERM');
  expect(takeLog()).toEqual([`kill ${SIGTERM}`, 'stop']);
  signals.complete();
  expect(takeLog()).toEqual([]);
});
