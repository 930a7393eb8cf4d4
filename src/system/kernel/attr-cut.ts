import { ATTR_SIZE_VER0, type EventAttr } from '../../kernel/perf-event/attr.ts';

/**
 * Offsets in bytes of the fields behind the first version of `struct perf_event_attr`, and their names
 * in the kernel. Offsets as drawn above `parseAttr`.
 */
const FIELDS = [
  { key: 'config2', name: 'config2', offset: 64 },
  { key: 'branchSampleType', name: 'branch_sample_type', offset: 72 },
  { key: 'sampleRegsUser', name: 'sample_regs_user', offset: 80 },
  { key: 'sampleStackUser', name: 'sample_stack_user', offset: 88 },
  { key: 'clockid', name: 'clockid', offset: 92 },
  { key: 'sampleRegsIntr', name: 'sample_regs_intr', offset: 96 },
  { key: 'auxWatermark', name: 'aux_watermark', offset: 104 },
  { key: 'sampleMaxStack', name: 'sample_max_stack', offset: 108 },
  { key: 'auxSampleSize', name: 'aux_sample_size', offset: 112 },
  { key: 'auxAction', name: 'aux_action', offset: 116 },
  { key: 'sigData', name: 'sig_data', offset: 120 },
  { key: 'config3', name: 'config3', offset: 128 },
  { key: 'config4', name: 'config4', offset: 136 },
] as const satisfies readonly { key: keyof EventAttr; name: string; offset: number }[];

export type CutAttr = {
  readonly attr: EventAttr;
  /** Kernel names of the fields that were set and are zero now, in order. */
  readonly dropped: readonly string[];
};

/**
 * The attr for a kernel whose struct ends after `size` bytes: the fields beyond are zero. Such a
 * kernel answers E2BIG to an attr with anything set there.
 */
export function cutAttr(attr: EventAttr, size: number): CutAttr {
  const end = Math.max(size, ATTR_SIZE_VER0);
  const cut: { -readonly [Key in keyof EventAttr]: EventAttr[Key] } = { ...attr };
  const dropped: string[] = [];
  for (const { key, name, offset } of FIELDS) {
    if (offset < end || Number(attr[key]) === 0) continue;
    dropped.push(name);
    Object.assign(cut, { [key]: typeof attr[key] === 'bigint' ? 0n : 0 });
  }
  // Without its field the flag would choose clock 0.
  if (dropped.includes('clockid')) cut.flags = { ...attr.flags, useClockid: false };
  return { attr: cut, dropped };
}
