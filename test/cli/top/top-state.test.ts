import { describe, expect, test } from 'vitest';
import { firstState, keysOf, press, type TopState } from '../../../src/cli/top/top-state.ts';

const start = firstState(['sym', 'dso', 'comm']);

/** The state after all keys of `bytes`, and what they asked for. */
function pressAll(bytes: string, events = 1): { state: TopState; actions: string[] } {
  const actions: string[] = [];
  let state = start;
  for (const key of keysOf(bytes)) {
    const pressed = press(state, key, events);
    state = pressed.state;
    if (pressed.action !== null) actions.push(pressed.action);
  }
  return { state, actions };
}

describe('keys', () => {
  test('keys of several bytes are recognized', () => {
    expect(keysOf('a\x1b[A\x1bOB\x1b[5~\x1b\r\x7f\x03é')).toEqual([
      'a',
      'up',
      'down',
      'page-up',
      'escape',
      'enter',
      'backspace',
      'interrupt',
      'é',
    ]);
  });

  test('unknown keys do nothing', () => {
    expect(pressAll('\x1b[15~\x1b[1;5CXY')).toEqual({ state: start, actions: [] });
  });

  test('key s cycles through the tables', () => {
    expect(pressAll('s').state.table).toBe('dso');
    expect(pressAll('sss').state.table).toBe('sym');
  });

  test('key e cycles through the events', () => {
    expect(pressAll('e', 3).state.event).toBe(1);
    expect(pressAll('eee', 3).state.event).toBe(0);
  });

  test('key p pauses and resumes', () => {
    expect(pressAll('p').state.isPaused).toBe(true);
    expect(pressAll('pp').state.isPaused).toBe(false);
  });

  test('keys q, z, Ctrl-C and Ctrl-Z quit, reset or suspend', () => {
    expect(pressAll('zq\x03\x1a').actions).toEqual(['reset', 'quit', 'interrupt', 'suspend']);
  });

  test('arrow keys choose a row, never before the first', () => {
    expect(pressAll('\x1b[B\x1b[B\x1b[A').state.selected).toBe(1);
    expect(pressAll('\x1b[A\x1b[5~').state.selected).toBe(0);
  });

  test('Enter shows the callers, Esc the rows again', () => {
    const chosen = pressAll('\x1b[B\r');
    expect(chosen.actions).toEqual(['callers']);
    expect(chosen.state.showsCallers).toBe(true);
    expect(pressAll('\x1b[B\r\x1b').state.showsCallers).toBe(false);
  });

  test('keys typed after / are filter text', () => {
    const typed = pressAll('/sqpx\x7f\r');
    expect(typed).toEqual({ state: { ...start, filter: 'sqp' }, actions: [] });
    expect(pressAll('/parse\x1b').state.filter).toBe('');
    expect(pressAll('/parse\r\x1b').state.filter).toBe('');
  });

  test('Ctrl-C ends top while a filter is typed', () => {
    expect(pressAll('/ab\x03').actions).toEqual(['interrupt']);
  });
});
