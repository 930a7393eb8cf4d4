import { describe, expect, it } from 'vitest';
import { fitState, slide } from '../../web/src/live/sliding-window.ts';
import { DEFAULT_STATE, type ViewState } from '../../web/src/state/state.ts';
import type { OpenResult } from '../../web/src/worker/messages/messages.ts';

const state = (changes: Partial<ViewState>): ViewState => ({ ...DEFAULT_STATE, ...changes });
const taken = { fromNs: 5, toNs: 7 };

describe('the window of a live page', () => {
  it('the window is the last seconds, the last sample among them', () => {
    const toNs = 25e9 + 1;
    expect(slide(state({ window: '10s', range: taken }), 25e9)).toEqual({
      fromNs: toNs - 10e9,
      toNs,
    });
  });

  it('the window is everything while the recording is shorter', () => {
    expect(slide(state({ window: '60s', range: taken }), 25e9)).toBeNull();
  });

  it('a new snapshot leaves a range alone that was taken by hand', () => {
    expect(slide(state({ window: 'all', range: taken }), 25e9)).toBe(taken);
  });
});

describe('the state of a page whose recording has grown', () => {
  const recording = (endNs: number, ...names: string[]) =>
    ({ endNs, events: names.map((name) => ({ name })) }) as unknown as OpenResult;
  const short = recording(1e9, 'cpu-clock', 'tracepoint-372', 'off-cpu');

  it('the view keeps its event where that has another row', () => {
    const longer = recording(2e9, 'cpu-clock', 'off-cpu');
    const changes = fitState(state({ event: 2, stream: 4 }), short, longer);
    expect(changes).toEqual({ range: null, event: 1, stream: null });
  });

  it('the view shows the first event where its own is no more', () => {
    const longer = recording(2e9, 'cpu-clock', 'off-cpu');
    expect(fitState(state({ event: 1 }), short, longer)).toMatchObject({ event: 0 });
  });

  it('a new snapshot changes the range alone where the event is where it was', () => {
    const changes = fitState(
      state({ event: 1, window: '10s' }),
      short,
      recording(2e10, 'a', 'tracepoint-372'),
    );
    expect(changes).toEqual({ range: { fromNs: 10e9 + 1, toNs: 2e10 + 1 } });
  });
});
