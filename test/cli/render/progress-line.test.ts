import { describe, expect, it } from 'vitest';
import { ProgressLine, type ProgressStep } from '../../../src/cli/render/progress-line.ts';

const CLEAR = '\u001b[K';
const atInterrupt = 'stops';
const reading = (share: number | null): ProgressStep => ({ what: 'reading a', share, atInterrupt });

/** A line, its clock, and what was written to the terminal since one last looked. */
function drawing({ columns = 80, delayMs = 1000 } = {}) {
  let nowMs = 0;
  let written: string[] = [];
  const line = new ProgressLine({
    nowMs: () => nowMs,
    write: (text) => written.push(text) > 0,
    columns: () => columns,
    rows: () => 24,
    delayMs,
  });
  return {
    line,
    at(ms: number): void {
      nowMs = ms;
    },
    written(): string[] {
      const taken = written;
      written = [];
      return taken;
    },
  };
}

describe('progress line', () => {
  it('the line draws nothing in the first second, and erases nothing then', () => {
    const { line, at, written } = drawing();
    line.show(reading(0));
    at(999);
    line.show(reading(0.9));
    line.erase();
    line.end();
    expect(written()).toEqual([]);
  });

  it('the line shows share, time left and what Ctrl-C does', () => {
    const { line, at, written } = drawing();
    line.show(reading(0));
    at(2000);
    line.show(reading(0.25));
    expect(written()).toEqual([`\rperf-ts: reading a: 25 %, 6 s left (Ctrl-C stops)${CLEAR}`]);
  });

  it('the line counts the time left of each step from its own begin', () => {
    const { line, at, written } = drawing();
    line.show(reading(1));
    at(9000);
    line.show({ what: 'naming', share: 0, atInterrupt });
    at(10_000);
    line.show({ what: 'naming', share: 0.5, atInterrupt });
    expect(written()).toEqual([
      `\rperf-ts: naming: 0 % (Ctrl-C stops)${CLEAR}`,
      `\rperf-ts: naming: 50 %, 1 s left (Ctrl-C stops)${CLEAR}`,
    ]);
  });

  it('the line counts long times in minutes', () => {
    const { line, at, written } = drawing();
    line.show(reading(0));
    at(20_000);
    line.show(reading(0.1));
    expect(written().join('')).toContain('10 %, 3 min left');
  });

  it('the line shows the time that a step of unknown length has taken, unless it shows something else that grows', () => {
    const { line, at, written } = drawing();
    const adding = { what: 'adding up', share: null, atInterrupt };
    line.show(adding);
    at(1500);
    line.redraw();
    at(3000);
    line.redraw();
    at(3200);
    line.show({ ...adding, detail: '2 MB' });
    expect(written()).toEqual([
      `\rperf-ts: adding up: 1 s (Ctrl-C stops)${CLEAR}`,
      `\rperf-ts: adding up: 3 s (Ctrl-C stops)${CLEAR}`,
      `\rperf-ts: adding up: 2 MB (Ctrl-C stops)${CLEAR}`,
    ]);
  });

  it('the line shows the first detail of a step at once', () => {
    const { line, written } = drawing({ delayMs: 0 });
    const writing = { what: 'writing a', share: null, atInterrupt };
    for (const detail of [undefined, '1 MB', '2 MB'])
      line.show({ ...writing, ...(detail !== undefined && { detail }) });
    expect(written()).toEqual([
      `\rperf-ts: writing a ... (Ctrl-C stops)${CLEAR}`,
      `\rperf-ts: writing a: 1 MB (Ctrl-C stops)${CLEAR}`,
    ]);
  });

  it('the line redraws ten times a second, and each new step at once', () => {
    const { line, at, written } = drawing({ delayMs: 0 });
    for (let ms = 0; ms < 1000; ms++) {
      at(ms);
      line.show(reading(ms / 1000));
    }
    expect(written()).toHaveLength(10);
    line.show({ what: 'adding up', share: null, atInterrupt });
    expect(written()).toEqual([`\rperf-ts: adding up ... (Ctrl-C stops)${CLEAR}`]);
  });

  it('the line shows the bytes of a step whose share is not known', () => {
    const { line, written } = drawing({ delayMs: 0 });
    line.show({ what: 'writing b', share: null, detail: '3.2 MB', atInterrupt });
    expect(written()).toEqual([`\rperf-ts: writing b: 3.2 MB (Ctrl-C stops)${CLEAR}`]);
  });

  it('the line makes room for other text, and comes back with the next step', () => {
    const { line, at, written } = drawing({ delayMs: 0 });
    line.show(reading(0));
    line.erase();
    line.erase();
    expect(written().slice(1)).toEqual([`\r${CLEAR}`]);
    at(200);
    line.redraw();
    expect(written()).toHaveLength(1);
    line.finishStep();
    line.redraw();
    expect(written()).toEqual([`\r${CLEAR}`]);
    line.show(reading(0.5));
    line.end();
    expect(written().at(-1)).toBe(`\r${CLEAR}`);
    at(400);
    line.redraw();
    expect(written()).toEqual([]);
  });

  it.each([
    [51, 'perf-ts: reading a: 25 %, 6 s left (Ctrl-C stops)'],
    [50, 'perf-ts: reading a: 25 %, 6 s left (Ctrl-C stops)'],
    [49, 'perf-ts: reading a: 25 %, 6 s left'],
    [35, 'perf-ts: reading a: 25 %, 6 s left'],
    [20, 'perf-ts: reading a:'],
  ])('leaves the last of %d columns free, since a full line moves the cursor', (columns, shown) => {
    const { line, at, written } = drawing({ columns });
    line.show(reading(0));
    at(2000);
    line.show(reading(0.25));
    expect(written()).toEqual([`\r${shown}${CLEAR}`]);
  });

  it('the line draws lines above it once, and erases them with it', () => {
    const { line, at, written } = drawing();
    line.show(reading(0.1));
    at(1000);
    line.showAbove(['a 1', 'b 2']);
    at(1100);
    line.show(reading(0.2));
    const last = `\rperf-ts: reading a: 20 %, 5 s left (Ctrl-C stops)${CLEAR}`;
    expect(written()).toEqual([
      `\ra 1${CLEAR}\n\rb 2${CLEAR}\n\rperf-ts: reading a: 10 %, 9 s left (Ctrl-C stops)${CLEAR}`,
      last,
    ]);
    line.showAbove(['c 3']);
    line.end();
    expect(written()).toEqual([
      '\r\u001b[2A\u001b[J',
      `\rc 3${CLEAR}\n${last}`,
      '\r\u001b[1A\u001b[J',
    ]);
  });

  it('there is no room above the line in most of its delay, nor where the step ends soon', () => {
    const { line, at } = drawing({ columns: 70 });
    const room = { columns: 69, rows: 24 };
    at(600);
    expect(line.roomAbove(0.01)).toBeNull();
    at(700);
    expect([0, 0.1, 0.9].map((share) => line.roomAbove(share))).toEqual([room, room, null]);
    line.end();
    expect(line.roomAbove(0.1)).toBeNull();
  });

  it('lines above the line are drawn anew where the terminal was not ours in between', () => {
    const written: string[] = [];
    let isOurs = true;
    const line = new ProgressLine({
      nowMs: () => 1000 + 100 * written.length,
      write: (text) => written.push(text) > 0 && isOurs,
      columns: () => 80,
      rows: () => 24,
      delayMs: 0,
    });
    line.show(reading(0.5));
    line.showAbove(['a 1']);
    isOurs = false;
    line.show(reading(0.6));
    isOurs = true;
    line.show(reading(0.7));
    // Nothing was drawn that could be erased.
    expect(written.at(-1)).toMatch(/^\ra 1/);
  });
});
