import { expect, test } from 'vitest';
import { splitName } from '../../web/src/tables/split-name.ts';

test.each([
  ['node::crypto::Hash<EVP_MD, a::b>::Update(x::y const*)', 'Update(x::y const*)'],
  ['score /srv/app/src/work.ts:39', 'work.ts:39'],
  ['run file:///srv/app/with space/work.ts:39', 'work.ts:39'],
  ['/usr/lib/x86_64-linux-gnu/libc.so.6', 'libc.so.6'],
  ['emit node:events:471', 'emit node:events:471'],
  [
    '(anonymous namespace)::run(int)::{lambda(a::b)#1}::operator()(int) const',
    'operator()(int) const',
  ],
  ['core::fmt::write', 'write'],
  ['std::operator<< <std::char_traits<char> >', 'operator<< <std::char_traits<char> >'],
  ['main', 'main'],
  ['a / b', 'a / b'],
  ['global::', 'global::'],
])('a name is cut before what says most: %s', (name, tail) => {
  expect(splitName(name)).toStrictEqual({ head: name.slice(0, name.length - tail.length), tail });
});
