// Lines of 300 000 characters, where a search that tries each place again would not end.

import { describe, expect, test } from 'vitest';
import { memorySource } from '../../src/base/byte-source.ts';
import { pathOfScript, shortPath } from '../../src/code/javascript/script-path.ts';
import { parseV8Name } from '../../src/code/javascript/v8-name.ts';
import { escapeComm, escapeFrameName, tidyName } from '../../src/formats/export/folded.ts';
import { splitFoldedLine } from '../../src/formats/import/folded.ts';
import {
  parseFrame,
  parseTimedHead,
  parseUntimedHead,
} from '../../src/formats/import/perf-script-line.ts';
import { parseFormatFile } from '../../src/kernel/tracepoint/format-file.ts';
import { openImport } from '../../src/read/open-import.ts';
import { parseMaps } from '../../src/system/processes/system-processes.ts';
import { toBytes } from './target.ts';

const UNITS = [
  ' ',
  '\t',
  '\r',
  'a',
  '1',
  'a ',
  '1 ',
  ' 1',
  '(',
  ') ',
  '.(',
  ';',
  ':',
  ':1',
  '[0] ',
];
const ENDS = ['x', '\n', ' 1.123456:', '\u2028x'];
const CHARACTERS = 300_000;

const READERS: Readonly<Record<string, (line: string) => unknown>> = {
  'a text to import': (line) => openImport(memorySource(toBytes(line))),
  'a head line': (line) => [parseTimedHead(line), parseUntimedHead(line)],
  'a frame line': (line) => [parseFrame(line), parseFrame(`55d0 f${line}`)],
  'a folded line': (line) => [splitFoldedLine(line), splitFoldedLine(`a;b${line}`)],
  'a name in a folded line': (name) => [escapeFrameName(name), escapeComm(name), tidyName(name)],
  'a name of V8': (name) => [parseV8Name(`JS:*${name}`), shortPath(pathOfScript(name), '/srv')],
  'a line of maps': (line) => parseMaps(`1000-2000 r-xp 0 08:01 5 ${line}`),
  'a format file': (line) =>
    parseFormatFile(`name: x\nID: 1\n\tfield:${line};\toffset:8;\tsize:4;\n`, 8),
};

describe('a line of 300 000 characters', () => {
  test.each(Object.entries(READERS))(
    'a line of 300 000 characters as %s is read in linear time',
    (_, read) => {
      let lines = 0;
      for (const unit of UNITS) {
        const line = unit.repeat(CHARACTERS / unit.length);
        for (const end of ENDS) {
          read(line + end);
          lines++;
        }
      }
      expect(lines).toBe(UNITS.length * ENDS.length);
    },
  );
});

test('a head of words and spaces keeps its comm', () => {
  expect(
    parseTimedHead('  V8 Worker  Th 12/13 [001] d..1. 5.123456:  7 cycles:u: 7f main'),
  ).toEqual({
    comm: 'V8 Worker  Th',
    pid: 12,
    tid: 13,
    cpu: 1,
    time: 5_123_456_000n,
    period: 7,
    event: 'cycles:u',
    rest: '7f main',
  });
  expect(parseTimedHead('   12 5.123456: ')).toMatchObject({ comm: '', tid: 12 });
});

test('a folded line ends with a number', () => {
  expect(splitFoldedLine('a;f 12 7.5 \r')).toEqual({ stack: 'a;f 12', weight: 7.5 });
  expect(splitFoldedLine(' 7')).toEqual({ stack: '', weight: 7 });
  for (const line of ['a;b', 'a7', '7', 'a .5', 'a 1.2.3', '']) {
    expect(splitFoldedLine(line), line).toBeNull();
  }
});
