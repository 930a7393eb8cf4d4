import type { Tier } from '../../profile/types.ts';
import type { V8Name } from './v8-name.ts';

/** A function of JavaScript as its engine names its code. */
export type ScriptName = V8Name & {
  /** Distinguishes functions whose engine gives no place; empty where it does. */
  readonly hash: string;
};

const TIERS: Readonly<Record<string, Tier>> = { Baseline: 'baseline', DFG: 'DFG', FTL: 'FTL' };

/** `JSC-FTL: weigh#EijMuD`. A private method has a `#` in its name: the last one begins the hash. */
const NAME = /^JSC-(Baseline|DFG|FTL): (.*)#([A-Za-z0-9]{6})$/s;

/**
 * The name that JavaScriptCore, in Bun, gives code in its jitdump:
 *
 *   JSC-Baseline: area#Bd7NeX                a function, in the first of three tiers
 *   JSC-DFG: #EMgNEW                         an anonymous one
 *   JSC-FTL: area#Bd7NeX                     the same code as in the first line
 *   JSC-Baseline: /srv/app.ts#AFQAYF         what a module does when it is loaded
 *   JSC-YarrJIT: /\s+/g                      a regular expression
 *   JSC-Thunk: charCodeAt   JSC-InlineCache: GetByVal   JSC-DFGOSRExit: unspecified
 *
 * The hash is one of the function's source. Neither file nor line is there, and functions of the
 * language written in JavaScript (`reduce`) look like those of the program. Null for all but the first four.
 */
export function parseJscName(text: string): ScriptName | null {
  const [, compiler = '', name = '', hash = ''] = NAME.exec(text) ?? [];
  const tier = TIERS[compiler];
  if (tier === undefined) return null;
  const isModule = name.startsWith('/') && /\.[a-z]+$/i.test(name);
  return {
    kind: isModule ? 'script' : 'function',
    tier,
    name: isModule ? '' : name,
    file: isModule ? name : '',
    line: 0,
    column: 0,
    hash,
  };
}
