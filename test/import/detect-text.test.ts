import { describe, expect, it } from 'vitest';
import { detectText } from '../../src/import/detect-text.ts';

const detect = (text: string) => detectText(new TextEncoder().encode(text));

describe('what a text is', () => {
  it.each([
    ['perf-script', 'dd 29776 666709.771979:   10101010 cpu-clock: \n\t 414b3b f (/a)\n'],
    ['perf-script', '# hostname : x\n#\njava 1/2 [000] 1.000001: cycles: \n'],
    ['perf-script', 'node 17 cycles: \n\t 13a80b608e0a LazyCompile:~f (/tmp/perf-1.map)\n'],
    ['folded', 'app;main;work 17\n'],
    ['folded', 'swapper;[unknown] 3\nsh 2\n'],
    ['folded', 'sleep 500000\n'],
    [null, ''],
    [null, 'hello world\n'],
    [null, 'PERFILE2'],
    [null, '{"a": 1}\n'],
    [null, 'a;b 1\0\n'],
    [null, 'one;two\nthree;four\nfive;six 7\n'],
  ])('%s: %j', (format, text) => {
    expect(detect(text)).toBe(format);
  });
});
