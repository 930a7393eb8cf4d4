import { expect, test } from 'vitest';
import { parseJscName } from '../../../src/code/javascript/jsc-name.ts';

test.each([
  ['JSC-Baseline: area#Bd7NeX', "baseline function 'area' '' Bd7NeX"],
  ['JSC-DFG: #EMgNEW', "DFG function '' '' EMgNEW"],
  ['JSC-FTL: #count#EMgNEW', "FTL function '#count' '' EMgNEW"],
  ['JSC-Baseline: /srv/a b/app.ts#AFQAYF', "baseline script '' '/srv/a b/app.ts' AFQAYF"],
  ['JSC-FTL: a\nb#EMgNEW', "FTL function 'a\nb' '' EMgNEW"],
])('%j is a function', (text, expected) => {
  const name = parseJscName(text);
  expect(name && `${name.tier} ${name.kind} '${name.name}' '${name.file}' ${name.hash}`).toBe(
    expected,
  );
  expect([name?.line, name?.column]).toEqual([0, 0]);
});

test.each([
  ['JSC-FTL: weigh'],
  ['JSC-Thunk: charCodeAt'],
  ['JSC-InlineCache: GetById Load handler'],
  ['JSC-YarrJIT: /#AbCdEf/'],
  ['JSC-DFGOSRExit: unspecified'],
  ['JS:*fib /a.js:3:13'],
  ['toString: x#AbCdEf'],
])('%j is none', (text) => {
  expect(parseJscName(text)).toBeNull();
});
