import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageAssembly } from '../../src/code/disassembly/types.ts';
import type { FuncIndex } from '../../src/profile/types.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { startViewServer, type ViewServer } from '../../src/view/server.ts';
import { ViewedFile } from '../../src/view/viewed-file.ts';
import { type DrawnFunction, writeCodeRecording, writeProgram } from '../helpers/code-recording.ts';

const directory = mkdtempSync(join(tmpdir(), 'view-assembly-'));
const CODE: readonly DrawnFunction[] = [
  ['</script>\u202e\u0007', [0x90, 0xe8, 0x00, 0x00, 0x00, 0x00, 0xc3]],
];
const NAME = CODE[0][0];
let server: ViewServer;

beforeAll(async () => {
  const program = join(directory, 'program');
  const recording = join(directory, 'perf.data');
  writeProgram(program, CODE);
  writeCodeRecording(recording, program, CODE, [[[NAME, 0]]]);
  const file = new ViewedFile(recording, await openProfile(recording));
  server = await startViewServer([file], { port: 0, isLive: false, users: null });
});

afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

describe('the assembly of a recording that grows', () => {
  it("assembly of a growing recording follows the page's function rows", async () => {
    const functions: readonly DrawnFunction[] = [
      ['early', [0x90, 0xc3]],
      ['late', [0xf4, 0xc3]],
    ];
    const program = join(directory, 'growing');
    writeProgram(program, functions);
    const path = join(directory, 'growing.data');
    writeCodeRecording(path, program, functions, [[['early', 0]]]);
    const file = new ViewedFile(path, await openProfile(path), { isLive: true });
    file.pageData();
    // Read again, it meets the other function first.
    writeCodeRecording(path, program, functions, [[['late', 0]], [['early', 0]]]);
    const grown = await openProfile(path);
    expect(grown.nameOf(0 as FuncIndex)).toBe('late');
    file.replace(grown, { isLive: false });
    const namesOf = async (func: number) => {
      const { parts } = JSON.parse(await file.assembly(func)) as PageAssembly;
      return parts.map(({ name }) => name);
    };
    expect(await namesOf(0)).toStrictEqual(['early']);
    expect(await namesOf(1)).toStrictEqual(['late']);
  });
});

describe('the assembly that the server has', () => {
  it('the assembly is JSON of printable texts', async () => {
    const answer = await fetch(new URL('assembly/0?func=0', server.url));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const { parts, missing, files, funcs } = (await answer.json()) as PageAssembly;
    expect({ missing, files, funcs }).toStrictEqual({ missing: [], files: [], funcs: [] });
    expect(parts.map(({ name, text, refers }) => ({ name, text, refers }))).toStrictEqual([
      {
        name: '</script>\\u202e\\x07',
        text: ['nop', 'call 0x40007e', 'ret'],
        refers: ['', '+0x6', ''],
      },
    ]);
  });

  it('the assembly is empty for a function that is not there', async () => {
    const answer = await fetch(new URL('assembly/0?func=99', server.url));
    expect(await answer.json()).toMatchObject({ parts: [], missing: [] });
  });

  it.each([
    'assembly/0',
    'assembly/0?func=',
    'assembly/0?func=-1',
    'assembly/0?func=/etc/passwd',
    'assembly/1?func=0',
    'assembly?func=0',
    'assembly/0/0?func=0',
  ])('the assembly is not found at %s', async (address) => {
    expect((await fetch(new URL(address, server.url))).status).toBe(404);
  });
});
