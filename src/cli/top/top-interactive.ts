import { formatShare } from '../../base/numbers.ts';
import { shortName } from '../../profile/short-name.ts';
import type { CallerNode } from '../../tools/top/caller-sums.ts';
import type { TopEvent, TopReport } from '../../tools/top/top-options.ts';
import { isTerminal } from '../shared/stdout.ts';
import { TopScreen } from './top-screen.ts';
import type { TopShown } from './top-shown.ts';
import { firstState, keysOf, press, type TopAction } from './top-state.ts';
import { filterRows, screenOf } from './top-text.ts';

/** Draws each report over the last, and does what keys ask for, until `q` or Ctrl-C. */
export async function showScreen({ top, tables, look, end }: TopShown): Promise<void> {
  let state = firstState(tables);
  /** The report on the screen; stays behind the last one while it is paused. */
  let report: TopReport | null = null;
  let hasQuit = false;
  let onQuit = (): void => {};
  const quit = new Promise<void>((resolve) => {
    onQuit = resolve;
  });

  const draw = (): void => {
    if (report === null) {
      screen.draw(['perf-ts top: sampling …   q quits']);
      return;
    }
    const { columns, rows: lines } = screen.size;
    const callers = state.showsCallers ? callerLines(report.events[state.event]?.callers) : null;
    screen.draw(screenOf(report, state, { ...look, columns, lines }, callers));
  };

  const act = (action: TopAction): void => {
    if (action === 'quit' || action === 'interrupt') {
      hasQuit = true;
      end(action === 'quit' ? 'SIGTERM' : 'SIGINT');
      onQuit();
    } else if (action === 'suspend') {
      screen.leave();
      process.kill(process.pid, 'SIGSTOP');
    } else if (action === 'reset') {
      top.reset();
    } else if (action === 'callers' && report !== null) {
      const { rows } = report.events[state.event].table(state.table);
      const row = filterRows(rows, state.filter)[state.selected];
      if (state.table === 'sym' && row !== undefined) top.watchCallers(state.event, row.names);
    }
  };

  const screen = new TopScreen((bytes) => {
    for (const key of keysOf(bytes)) {
      const pressed = press(state, key, top.events.length);
      state = pressed.state;
      act(pressed.action);
    }
    if (!hasQuit) draw();
  }, draw);
  const resume = (): void => {
    if (hasQuit) return;
    screen.enter();
    draw();
  };
  process.on('SIGCONT', resume);
  screen.enter();
  try {
    draw();
    for await (const next of top.reports()) {
      if (!state.isPaused || next.isLast) report = next;
      draw();
    }
    // A command that has ended leaves its table to be read; a signal does not.
    if (!hasQuit && isTerminal(0) && !top.wasStopped) await quit;
  } finally {
    process.off('SIGCONT', resume);
    screen.leave();
  }
}

/** Callers of less than this share of the function are left out. */
const MIN_SHARE = 0.01;
const MAX_LINES = 500;

/**
 * The callers of the function that is watched, indented by distance; shares of what has the
 * function on its stack.
 *
 *     callers of memcpy, which is on 12.10% of all stacks since it was chosen
 *      80.00%  read_block
 *       79.10%  main
 */
function callerLines(callers: TopEvent['callers'] | undefined): string[] {
  if (!callers) return ['callers are of functions: choose a row of the table of symbols'];
  const root = callers.tree();
  const name = shortName(root.name);
  if (root.weight === 0) return [`callers of ${name}: no samples of it since it was chosen`];
  const lines = [
    `callers of ${name}, which is on ${formatShare(callers.share)} of all stacks since it was chosen`,
  ];
  const add = (node: CallerNode, depth: number): void => {
    for (const caller of node.callers) {
      const share = caller.weight / root.weight;
      if (share < MIN_SHARE || lines.length >= MAX_LINES) return;
      lines.push(
        `${' '.repeat(depth)}${formatShare(share).padStart(7)}  ${shortName(caller.name)}`,
      );
      add(caller, depth + 1);
    }
  };
  add(root, 0);
  if (lines.length === 1) lines.push('none is known: stacks are recorded with -g');
  return lines;
}
