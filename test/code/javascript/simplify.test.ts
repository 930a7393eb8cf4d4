import { describe, expect, test } from 'vitest';
import { finish } from '../../../src/base/slices.ts';
import {
  isPlumbing,
  type Simplify,
  simplifyChain,
  simplifyStacks,
} from '../../../src/code/javascript/simplify.ts';
import { computeCallNodes } from '../../../src/profile/analysis/trees/call-nodes.ts';
import type { Profile } from '../../../src/profile/types.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';
import { withScripts } from '../../helpers/with-scripts.ts';

/** The stack of each sample, outermost first. */
function stacks({ samples, stacks: table, frames, funcs, strings }: Profile): string[] {
  return Array.from(samples.stack, (leaf) => {
    const names: string[] = [];
    for (let row = leaf; row >= 0; row = table.prefix[row]) {
      const func = frames.func[table.frame[row]];
      names.unshift(strings[funcs.name[func]].split(' ')[0]);
    }
    return names.join(' > ');
  });
}

const PROFILE = withScripts(
  profileFromText(`
    node                                  node                                  node
    Builtins_JSEntryTrampoline            Builtins_JSEntryTrampoline            Builtins_JSEntryTrampoline
    JS:~outer /a.js:1:1@[JIT] tid 1       JS:~outer /a.js:1:1@[JIT] tid 1       Builtins_LoadIC
    Builtins_CallProperty1Handler         Builtins_LoadIC
    JS:~inner /a.js:9:1@[JIT] tid 1
    Builtins_AddHandler
  `),
);

describe('stacks without the frames of V8', () => {
  test("simplify=interpreter leaves out the interpreter's frames", () => {
    const simple = simplifyStacks(PROFILE, 'interpreter');
    checkProfile(simple);
    expect(stacks(simple)).toEqual([
      'node > outer > inner > [interpreter]',
      'node > outer > Builtins_LoadIC',
      'node > Builtins_LoadIC',
    ]);
  });

  test('simplify=all leaves out all V8 steps below functions of JavaScript', () => {
    const simple = simplifyStacks(PROFILE, 'all');
    checkProfile(simple);
    expect(stacks(simple)).toEqual([
      'node > outer > inner',
      'node > outer',
      'node > Builtins_LoadIC',
    ]);
    expect(finish(computeCallNodes(simple)).length).toBeLessThan(
      finish(computeCallNodes(PROFILE)).length,
    );
  });

  test("simplify=none keeps V8's frames", () => {
    expect(simplifyStacks(PROFILE, 'none')).toBe(PROFILE);
  });
});

test.each<[name: string, level: Simplify | null]>([
  ['Builtins_InterpreterEntryTrampoline', 'interpreter'],
  ['Builtin:InterpreterPushArgsThenCall', 'interpreter'],
  ['Builtins_LdaNamedPropertyHandler', 'interpreter'],
  ['BytecodeHandler:StarWide', 'interpreter'],
  ['Builtins_JSRunMicrotasksEntry', 'interpreter'],
  ['Builtins_KeyedLoadIC_Megamorphic', 'all'],
  ['Builtins_Call_ReceiverIsAny', 'all'],
  ['Builtins_CEntry_Return1_ArgvOnStack_NoBuiltinExit', 'all'],
  ['Builtins_RecordWriteSaveFP', 'all'],
  ['Builtins_StringAdd_CheckNone', 'all'],
  ['Builtins_AsyncFunctionAwaitResolveClosure', 'all'],
  ['Builtins_ArrayPrototypeJoin', null],
  ['Builtins_MapPrototypeGet', null],
  ['Builtins_StringPrototypeSplit', null],
  ['Builtins_PromisePrototypeThen', null],
  ['RegExp:a+', null],
  ['SignalHandler', null],
  ['main', null],
])('%s is part of its caller at level %s', (name, level) => {
  expect(isPlumbing(name, 'none')).toBe(false);
  expect(isPlumbing(name, 'interpreter')).toBe(level === 'interpreter');
  expect(isPlumbing(name, 'all')).toBe(level !== null);
});

/** Names leaf first; `?` has none. */
function simplified(...names: string[]): string[] {
  const frames = names.map((name) => ({ symbol: name === '?' ? null : name }));
  return simplifyChain(frames).map(({ symbol }) => symbol ?? '?');
}

describe('a callchain without the frames of V8', () => {
  test('steps of V8 go into the function of JavaScript above them', () => {
    expect(
      simplified(
        'Builtins_LoadIC',
        'Builtins_GetNamedPropertyHandler',
        'JS:~inner /a.js:9:1',
        'Builtins_InterpreterEntryTrampoline',
        'JS:*outer /a.js:1:1',
        'Builtins_JSEntryTrampoline',
        'node::Start',
        '_start',
      ),
    ).toEqual(['JS:~inner /a.js:9:1', 'JS:*outer /a.js:1:1', 'node::Start', '_start']);
  });

  test('a V8 step that no JavaScript function called stays', () => {
    expect(simplified('Builtins_LoadIC', 'Builtins_CEntry', 'node::Start')).toEqual([
      'Builtins_LoadIC',
      'node::Start',
    ]);
  });

  test('frames that are not V8 steps stay: builtins, unnamed code, the outermost frame', () => {
    const all = ['memcpy', '?', 'Builtins_ArrayMap', 'JS:^f /a.js:1:1', 'Builtins_JSEntry'];
    expect(simplified(...all)).toEqual(all);
    expect(simplified('Builtins_LoadIC')).toEqual(['Builtins_LoadIC']);
    expect(simplified()).toEqual([]);
  });
});
