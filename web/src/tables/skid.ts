import type { OpenResult } from '../worker/messages/messages.ts';

/** `perf_event_attr.type`. */
const SOFTWARE = 1;
const TRACEPOINT = 2;
const BREAKPOINT = 5;

/** Promises of the precise levels (0…3, the `p`s of the event's modifiers) in perf's own words. */
const PRECISE = [
  'precise level 0: the processor may be any number of instructions further on (skid)',
  'precise level 1: the instruction is off by a constant skid',
  'precise level 2: asked for no skid; the instruction is the one after the event at most',
  'precise level 3: no skid',
] as const;

/** How far the line or instruction of a sample may lie from where the event happened, as a sentence. */
export function describeSkid(
  { name, type, mode }: OpenResult['events'][number],
  place: 'line' | 'instruction' = 'line',
): string {
  if (type === TRACEPOINT)
    return `${name} happens at one place in the kernel: ${place}s are exact.`;
  if (type === BREAKPOINT) {
    return `${name} stops after the access: the ${place} may be the next one.`;
  }
  if (mode === 'clock') {
    return (
      `${name} is a clock, precise level 0: a sample shows the instruction that was to run when the ` +
      `timer’s interrupt was taken, which may lie after the one that took long.`
    );
  }
  if (type === SOFTWARE) return `${name} is counted by the kernel where it happens: no skid.`;
  const modifiers = /[:/]([a-zA-Z]*)$/.exec(name)?.[1] ?? '';
  const level = Math.min(3, modifiers.split('p').length - 1);
  return `${name}, ${PRECISE[level]}. A hot ${place}’s neighbours may be the cause.`;
}
