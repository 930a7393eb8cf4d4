import { expect, it } from 'vitest';
import { shortName } from '../../src/profile/short-name.ts';

it.each([
  ['main', 'main'],
  ['v8::Context::Enter()', 'v8::Context::Enter'],
  ['void sort<int*>(int*, int*)', 'sort<int*>'],
  ['std::vector<int> make<int>(std::function<int (int)>)', 'make<int>'],
  ['bool Less::operator()<It, It>(It, It) const', 'Less::operator()<It, It>'],
  ['Less::operator()(int, int) const', 'Less::operator()'],
  ['a::f(int)::{lambda(int)#1}::operator()(int) const', 'a::f(int)::{lambda(int)#1}::operator()'],
  ['(anonymous namespace)::g(S&) [clone .isra.0]', '(anonymous namespace)::g [clone .isra.0]'],
  [
    'v8::internal::(anonymous namespace)::Invoke(v8::Isolate*)',
    'v8::internal::(anonymous namespace)::Invoke',
  ],
  ['std::ostream& operator<< <char>(std::ostream&, char const*)', 'operator<< <char>'],
  ['S::operator bool() const', 'S::operator bool'],
  ['operator new(unsigned long)', 'operator new'],
  ['non-virtual thunk to A::f(int)', 'non-virtual thunk to A::f'],
  ['A::operator->() const', 'A::operator->'],
  ['bool operator< <int>(S<int> const&, S<int> const&)', 'operator< <int>'],
  ['f(int) const &', 'f'],
  ['app (deleted)', 'app (deleted)'],
  ['bar (lib.py:3)', 'bar (lib.py:3)'],
  ['my-app (1)', 'my-app (1)'],
  ['decltype (a+b) add<int>(int, int)', 'add<int>'],
  ['net/http.(*Client).Do', 'net/http.(*Client).Do'],
  ["app.get('/users')", "app.get('/users')"],
  ["app.route('/books').get()", "app.route('/books').get()"],
  ["api.on(['GET', …], '/a') ", "api.on(['GET', …], '/a') "],
  ['render app/(shop)/page.tsx:12', 'render app/(shop)/page.tsx:12'],
  ['(anonymous) app.ts:5', '(anonymous) app.ts:5'],
  ['RegExp:(\\w+) (?=sit)', 'RegExp:(\\w+) (?=sit)'],
  [
    '<core::iter::Map<I, F> as core::iter::Iterator>::fold::<(), G>',
    '<core::iter::Map<I, F> as core::iter::Iterator>::fold::<(), G>',
  ],
  ['(', '('],
  ['f)(', 'f)('],
  ['f((((', 'f(((('],
])('%s is shown as %s', (name, shown) => {
  expect(shortName(name)).toBe(shown);
});
