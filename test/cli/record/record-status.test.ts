import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type FollowedRecording, followRecording } from '../../../src/cli/record/record-status.ts';
import { ProgressLine } from '../../../src/cli/render/progress-line.ts';
import type { EndingSignals } from '../../../src/cli/shared/ending-signals.ts';
import type { RecordingWork, RunningRecording } from '../../../src/record/recording.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A recording on a terminal of 200 columns; `written` is what was drawn there. */
function follow(isAlone: FollowedRecording['isAlone']) {
  let written = '';
  const line = new ProgressLine({
    nowMs: () => Date.now(),
    write: (text) => {
      written += text;
      return true;
    },
    columns: () => 200,
    rows: () => 24,
    delayMs: 0,
  });
  const state = { work: null as RecordingWork | null, isSampling: true };
  let end = (): void => {};
  const exited = new Promise<null>((done) => {
    end = () => done(null);
  });
  const totals = { samples: 12, writtenBytes: 3000, lostRecords: 0 };
  const running = {
    exited,
    childPid: 7,
    totals: () => totals,
    get work() {
      return state.work;
    },
    get isSampling() {
      return state.isSampling;
    },
  } as unknown as RunningRecording;
  const signals = { sent: 0 } as EndingSignals;
  const status = followRecording({ running, signals, output: 'a.data', isAlone }, () => line);
  return { status, state, signals, end, written: () => written };
}

it('a Node process that has not answered yet is named while it is recorded, and not after', async () => {
  const { state, status, written } = follow('always');
  state.work = { kind: 'attach', pid: 42 };
  await vi.advanceTimersByTimeAsync(1000);
  expect(written()).toContain('recording: 1 s, no names from process 42 yet (Ctrl-C ends it)');
  state.work = null;
  await vi.advanceTimersByTimeAsync(1000);
  expect(written().split('\r').at(-1)).not.toContain('JavaScript');
  state.isSampling = false;
  state.work = { kind: 'attach', pid: 42 };
  await vi.advanceTimersByTimeAsync(1000);
  expect(written()).toContain('completing a.data: no names from process 42 yet');
  status.end();
});

it('stack dumps that are unwound show their share once the command has ended, and no line before', async () => {
  const { state, status, signals, end, written } = follow('at-end');
  state.work = { kind: 'unwind', share: 0.4 };
  await vi.advanceTimersByTimeAsync(5000);
  expect(written()).toBe('');
  end();
  await vi.advanceTimersByTimeAsync(1000);
  expect(written()).toMatch(
    /completing a\.data, unwinding stack dumps: 40 %.* \(Ctrl-C twice: quits/,
  );
  signals.sent = 2;
  await vi.advanceTimersByTimeAsync(1000);
  expect(written().split('\r').at(-1)).toContain('(Ctrl-C again: quits after that)');
  status.complete();
  expect(written().endsWith('\r\u001b[K')).toBe(true);
  const length = written().length;
  await vi.advanceTimersByTimeAsync(5000);
  expect(written()).toHaveLength(length);
});

it('nothing is drawn for a file that is complete before its command ends', async () => {
  const { status, end, written } = follow('at-end');
  status.complete();
  end();
  await vi.advanceTimersByTimeAsync(5000);
  expect(written()).toBe('');
});

it('nothing is drawn where others print on the terminal', async () => {
  const { end, written } = follow('never');
  end();
  await vi.advanceTimersByTimeAsync(5000);
  expect(written()).toBe('');
});
