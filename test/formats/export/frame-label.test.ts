import { describe, expect, it } from 'vitest';
import { fitLabel, splitPlace } from '../../../src/formats/export/frame-label.ts';

const COLLECT =
  'v8::internal::Heap::CollectGarbage(v8::internal::AllocationSpace, v8::GCCallbackFlags)';

describe('the label of a frame', () => {
  it('a short label keeps the last parts of a C++ name', () => {
    const at = (characters: number) => fitLabel(COLLECT, '', characters);
    expect(at(200)).toBe(COLLECT);
    expect(at(40)).toBe('v8::internal::Heap::CollectGarbage');
    expect(at(25)).toBe('…::Heap::CollectGarbage');
    expect(at(17)).toBe('…::CollectGarbage');
    expect(at(14)).toBe('CollectGarbage');
    expect(at(8)).toBe('Collect…');
    expect(at(2)).toBe('');
  });

  it.each([
    ['void node::StreamBase::JSMethod<&node::StreamBase::Writev>(int const&)', '…::JSMethod'],
    ['v8::internal::(anonymous namespace)::Invoke(v8::internal::Isolate*)', '…::Invoke'],
    [
      'node::LibuvStreamWrap::ReadStart()::{lambda(uv_stream_s*, long)#2}::operator()',
      '…::operator()',
    ],
    ['bool std::operator< <char>(std::string const&, std::string const&)', 'std::operator<'],
    ['node::InternalCallbackScope::~InternalCallbackScope()', '~InternalCall…'],
    ['v8::internal::InliningPhase::Run(v8::internal::Zone*) [clone .isra.0]', '…::Run'],
    ['main(int, char**)', 'main'],
    ['<alloc::vec::Vec<T> as core::ops::Drop>::drop', 'drop'],
  ])('leaves the types out of %s', (name, label) => {
    expect(fitLabel(name, '', 14)).toBe(label);
  });

  it('the label has the function, then the place where there is room for it', () => {
    const score = 'score /srv/app/work.ts:39';
    expect(fitLabel(score, '', 200)).toBe('score work.ts:39');
    expect(fitLabel(score, '/srv/app/work.ts:39', 20)).toBe('score work.ts:39');
    expect(fitLabel('score', 'src/work.ts:39', 20)).toBe('score work.ts:39');
    expect(fitLabel(score, '', 10)).toBe('score');
    expect(fitLabel(score, '', 4)).toBe('sco…');
    expect(fitLabel('emit node:events:471', '', 20)).toBe('emit node:events:471');
    expect(fitLabel('emit node:events:471', '', 8)).toBe('emit');
  });

  it('a short label keeps the file name of a path', () => {
    expect(fitLabel('/usr/lib/x86_64-linux-gnu/libc.so.6', '', 14)).toBe('…/libc.so.6');
  });

  it('a short label keeps the brackets that are a name', () => {
    expect(fitLabel('(garbage collector)', '', 12)).toBe('(garbage co…');
    expect(fitLabel('Object.<anonymous> app.js:1', '', 18)).toBe('Object.<anonymous>');
    expect(fitLabel('(anonymous) app.js:3', '', 11)).toBe('(anonymous)');
  });

  it('the width counts characters of East Asia twice', () => {
    expect(fitLabel('計算する関数', '', 12)).toBe('計算する関数');
    expect(fitLabel('計算する関数', '', 8)).toBe('計算す…');
  });
});

it.each([
  ['#scoreOne examples/work.ts:47 (inlined)', '#scoreOne', 'examples/work.ts:47'],
  ['score /srv/app/work.ts:39', 'score', '/srv/app/work.ts:39'],
  ['get size node:fs:12', 'get size', 'node:fs:12'],
  ['std::map<int, int>::find(int) (inlined)', 'std::map<int, int>::find(int)', ''],
])('%s is a name and a place', (shown, name, place) => {
  expect(splitPlace(shown, '')).toEqual({ name, place });
});
