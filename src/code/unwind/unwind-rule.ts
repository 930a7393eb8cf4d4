// Hot: once per frame.

/**
 * The closed set of recipes for a caller, the same for all architectures. w is the size of a word. `sp`, `fp` and `lr` are
 * those of the frame; `a`, `b`, `r` are `cfaOffset`, `fpOffset` and `raOffset` of the rule, in bytes:
 *
 *                     cfa            caller's fp      return address
 *   SP                sp + a         fp               [cfa + r]
 *   SP_SAVED          sp + a         [cfa + b]        [cfa + r]
 *   FP                fp + a         fp               [cfa + r]
 *   FP_SAVED          fp + a         [cfa + b]        [cfa + r]
 *   SP_LR             sp + a         fp               lr, known in exact frames only
 *   SP_SAVED_LR       sp + a         [cfa + b]        lr
 *   FP_MEMORY         [fp + a]       [fp + b]         [cfa + r]     realigned stacks
 *   FRAME_POINTER     fp + 2w        [fp]             [fp + w]      where there is no table
 *   TAIL_CALL         sp + a         fp, [cfa + b]    [cfa + r]     if a call stands before it,
 *                                    unless b is 0                  else as FRAME_POINTER;
 *                                                                   exact frames only
 *   SIGNAL            [sp + a]       [sp + b]         [sp + r]      the interrupted ip, and lr
 *   VDSO_SIGNAL       the same with `Architecture.vdsoSignalFrame` in place of sp
 *   ROOT              there is no caller
 *   FULL              needs all registers: evaluated from the table each time
 *
 * The caller's sp is the cfa.
 */
export const KIND = {
  SP: 0,
  SP_SAVED: 1,
  FP: 2,
  FP_SAVED: 3,
  SP_LR: 4,
  SP_SAVED_LR: 5,
  FP_MEMORY: 6,
  FRAME_POINTER: 7,
  TAIL_CALL: 8,
  SIGNAL: 9,
  VDSO_SIGNAL: 10,
  ROOT: 11,
  FULL: 12,
} as const;
export type RuleKind = (typeof KIND)[keyof typeof KIND];

/** Why an address has no rule. Negative, so that none is a kind too. */
export const NO_RULE = { NOT_MAPPED: -1, BAD_TABLE: -2 } as const;
export type NoRule = (typeof NO_RULE)[keyof typeof NO_RULE];

const LARGEST_OFFSET = 2 ** 31;

/** One rule, or why there is none; filled again and again. */
export class UnwindRule {
  kind: RuleKind | NoRule = KIND.SP;
  cfaOffset = 0;
  fpOffset = 0;
  raOffset = 0;

  constructor(kind: RuleKind = KIND.SP, cfaOffset = 0, fpOffset = 0, raOffset = 0) {
    this.set(kind, cfaOffset, fpOffset, raOffset);
  }

  copyFrom(from: UnwindRule): void {
    this.kind = from.kind;
    this.cfaOffset = from.cfaOffset;
    this.fpOffset = from.fpOffset;
    this.raOffset = from.raOffset;
  }

  /** Offsets that no column holds make it a rule to be evaluated each time. */
  set(kind: RuleKind | NoRule, cfaOffset = 0, fpOffset = 0, raOffset = 0): void {
    const fits = isOffset(cfaOffset) && isOffset(fpOffset) && isOffset(raOffset);
    this.kind = fits ? kind : KIND.FULL;
    this.cfaOffset = fits ? cfaOffset : 0;
    this.fpOffset = fits ? fpOffset : 0;
    this.raOffset = fits ? raOffset : 0;
  }
}

function isOffset(value: number): boolean {
  return Number.isInteger(value) && value >= -LARGEST_OFFSET && value < LARGEST_OFFSET;
}
