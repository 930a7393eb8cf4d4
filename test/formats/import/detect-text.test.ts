import { describe, expect, it } from 'vitest';
import { detectText } from '../../../src/formats/import/detect-text.ts';

const detect = (text: string) => detectText(new TextEncoder().encode(text));

describe('what a text is', () => {
  it.each([
    ['perf-script', 'dd 29776 666709.771979:   10101010 cpu-clock: \n\t 414b3b f (/a)\n'],
    ['perf-script', '# hostname : x\n#\njava 1/2 [000] 1.000001: cycles: \n'],
    ['perf-script', 'node 17 cycles: \n\t 13a80b608e0a LazyCompile:~f (/tmp/perf-1.map)\n'],
    ['folded', 'app;main;work 17\n'],
    [
      'speedscope',
      '{"version":"0.1.2","$schema":"https://www.speedscope.app/file-format-schema.json"',
    ],
    ['speedscope', '{"profiles":[{"type":"evented","name":"x"'],
    ['speedscope', '{ "exporter": "x", "shared": { "frames": ['],
    ['folded', 'swapper;[unknown] 3\nsh 2\n'],
    ['folded', 'sleep 500000\n'],
    ['perf-script', 'Warning: 1 of 2\napp 12 12.5: 100 cycles:\n\t 401000 main (/bin/a)\n'],
    ['perf-script', 'app 12 12: cycles:\n\t 401000 main (/bin/a)\n'],
    ['folded', 'app;main 3\ngarbage\napp;f 3\nmore of it\n'],
    ['folded', 'java;Ljava/lang/Thread;::run 3\nVM Thread;start;g 3\n'],
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
