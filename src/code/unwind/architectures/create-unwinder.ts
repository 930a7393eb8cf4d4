import type { Architecture } from '../architecture.ts';
import type { UnwindArchitecture } from '../module-input.ts';
import { Unwinder } from '../unwinder.ts';
import { AARCH64 } from './aarch64/architecture.ts';
import { ARM } from './arm/architecture.ts';
import { I386 } from './i386/architecture.ts';
import { X86_64 } from './x86-64/architecture.ts';

const ARCHITECTURES: Readonly<Record<UnwindArchitecture, Architecture>> = {
  'x86-64': X86_64,
  i386: I386,
  aarch64: AARCH64,
  arm: ARM,
};

/** An unwinder with an empty cache. */
export function createUnwinder(architecture: UnwindArchitecture): Unwinder {
  return new Unwinder(architecture, ARCHITECTURES[architecture]);
}
