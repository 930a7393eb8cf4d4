import { PERF_COUNT_SW } from '../../base/event-type.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';

/** The event's name with other modifiers: `cycles:uk` -> `cycles:u`, `cpu/event=1/` -> `…/u`. */
export function withModifiers(spec: EventSpec, modifiers: string): string {
  const { name } = spec;
  const isShown = spec.modifiers !== '' && name.endsWith(spec.modifiers);
  const bare = isShown ? name.slice(0, -spec.modifiers.length).replace(/:$/, '') : name;
  if (modifiers === '') return bare;
  return bare.endsWith('/') ? `${bare}${modifiers}` : `${bare}:${modifiers}`;
}

/** The event's name if only its user-space part is recorded. */
export function nameInUserSpace(spec: EventSpec): string {
  return withModifiers(spec, `u${spec.modifiers.replace(/[ukh]/g, '')}`);
}

/**
 * Events that happen in the kernel whoever causes them: with `exclude_kernel` they open and count
 * nothing. Tracepoints of system calls carry the caller's user registers, and probes in programs
 * (in groups of these names by perf's custom) happen there, so both do count.
 */
export function happensOnlyInKernel(spec: EventSpec): boolean {
  if (spec.tracepoint !== null) {
    return !/^(?:syscalls|uprobes|probe_.*|sdt_.*)$/.test(spec.tracepoint.system);
  }
  return spec.isSoftware && KERNEL_ONLY.includes(spec.config);
}

/** Whether anything is left of the event without the kernel. */
export function hasUserSpacePart(spec: EventSpec): boolean {
  return !spec.exclude.kernel && !spec.exclude.user && !happensOnlyInKernel(spec);
}

const KERNEL_ONLY: readonly bigint[] = [
  BigInt(PERF_COUNT_SW.CONTEXT_SWITCHES),
  BigInt(PERF_COUNT_SW.CPU_MIGRATIONS),
  BigInt(PERF_COUNT_SW.CGROUP_SWITCHES),
];
