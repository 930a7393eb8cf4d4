import { expect, it } from 'vitest';
import { FILE_FORMATS, formatOfFile } from '../../src/options/export.ts';

it.each([
  ['out.html', 'html'],
  ['out.svg', 'svg'],
  ['a/b.cpuprofile', 'cpuprofile'],
  ['p.pb.gz', 'pprof'],
  ['p.speedscope.json', 'speedscope'],
  ['p.firefox.json', 'firefox'],
  ['p.folded', 'folded'],
  ['tables.parquet', 'parquet'],
])('%s is %s', (path, format) => {
  expect(formatOfFile(path)).toBe(format);
});

it.each([undefined, 'perf.data', 'p.txt', 'html', '-', '/dev/stdout'])(
  '%s is no export',
  (path) => {
    expect(formatOfFile(path)).toBeNull();
  },
);

it.each(['out.jfr', 'cpu.prof', 'profile.json', 'flame.png'])('%s is refused', (path) => {
  expect(() => formatOfFile(path)).toThrow(/no file of the kind \*\.\w+ is written/);
});

it('each format of one file has an ending', () => {
  const names = [
    '.html',
    '.svg',
    '.cpuprofile',
    '.pb.gz',
    '.speedscope.json',
    '.firefox.json',
    '.folded',
  ];
  expect(names.map(formatOfFile).sort()).toEqual([...FILE_FORMATS].sort());
});
