import type { Target } from '../target.ts';
import { elfTargets } from './elf.ts';
import { grammarTargets } from './grammar.ts';
import { httpTargets } from './http.ts';
import { importDevTools } from './import-devtools.ts';
import { importText } from './import-text.ts';
import { javascriptTargets } from './javascript.ts';
import { jitTargets } from './jit.ts';
import { numberTargets } from './numbers.ts';
import { pageTargets } from './page.ts';
import { profileTargets } from './profile.ts';
import { recording } from './recording.ts';
import { systemTextTargets } from './system-text.ts';
import { tracepointTargets } from './tracepoint.ts';

/** Every reader. */
export const TARGETS: readonly Target[] = [
  recording,
  ...profileTargets,
  ...numberTargets,
  ...elfTargets,
  ...jitTargets,
  ...tracepointTargets,
  importText,
  importDevTools,
  ...javascriptTargets,
  ...systemTextTargets,
  ...grammarTargets,
  ...pageTargets,
  ...httpTargets,
];
