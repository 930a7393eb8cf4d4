import { expect, test } from 'vitest';
import { commandWords } from '../../../src/base/words.ts';
import { RecordEncoder } from '../../../src/kernel/perf-event/encode.ts';
import {
  explainUnmappedNode,
  findMappedNode,
  type MappedNode,
} from '../../../src/record/jit-maps/unmapped-node.ts';

const encoder = new RecordEncoder({ littleEndian: true, sampleType: 0, sampleIdAll: false });

function mapped(pid: number, filename: string): Uint8Array {
  const place = { address: 0x1000n, length: 0x1000n, fileOffset: 0n };
  return encoder.mmap2({ pid, tid: pid, ...place, prot: 5, flags: 2, filename });
}

function found(...records: Uint8Array[]): MappedNode {
  return findMappedNode(Buffer.concat(records));
}

const isNode = () => ({ kind: 'node', version: null }) as const;
const looks = {
  identify: isNode,
  findHeld: () => null,
  wordsOf: async () => ['node', 'app.js'],
  cpuMsOf: () => null,
};
const explained = async (node: MappedNode, pids: number[] = [], areFlagsSet = false, look = {}) => {
  const text = await explainUnmappedNode(node, new Set(pids), areFlagsSet, { ...looks, ...look });
  return text && commandWords(text);
};

test('Node that made code and wrote no map is reported with what helps', async () => {
  const node = found(mapped(7, '/usr/bin/perl'), mapped(7, '/opt/bin/node'), mapped(7, '//anon'));
  const missing =
    "process 7 ran Node without perf-ts's preload, so that its JavaScript has no names";
  expect(await explained(node)).toBe(
    `${missing}: record with --node-flags, or with --attach-js where what starts it gives it another environment`,
  );
  expect(await explained(node, [], true)).toContain(
    `${missing}: what started it replaced NODE_OPTIONS`,
  );
  expect(await explained(node, [7])).toBeNull();
  expect(await explained(node, [], false, { identify: () => ({ kind: 'other' }) })).toBeNull();
});

test('a program is looked at once, however many processes ran it', async () => {
  const looked: string[] = [];
  const findHeld = (path: string) => {
    looked.push(path);
    return 'copy';
  };
  const records = [7, 8, 9, 10].flatMap((pid) => [mapped(pid, '/srv/app'), mapped(pid, '//anon')]);
  expect(await explained(found(...records), [], false, { findHeld })).toContain(
    '4 processes (7, 8, 9 …) ran Node',
  );
  expect(looked).toEqual(['/srv/app']);
});

test('an application inside of a Node is reported whatever its name', async () => {
  const findHeld = (path: string) => (path === '/srv/app' ? 'application' : null);
  const app = [mapped(7, '/srv/app'), mapped(7, '/lib/libc.so.6'), mapped(7, '//anon')];
  expect(await explained(found(...app), [], true, { findHeld })).toContain('process 7 ran Node');
  expect(await explained(found(...app), [7], true, { findHeld })).toBeNull();
  expect(await explained(found(...app), [], true)).toBeNull();
});

test('a Node whose permission model keeps the inspector from it is not to be asked by it', async () => {
  const node = found(mapped(7, '/opt/bin/node'), mapped(7, '//anon'));
  const of = (...words: string[]) => explained(node, [], false, { wordsOf: async () => words });
  expect(await of('node', '--permission', 'app.js')).toBe(
    'process 7 ran Node under its permission model, so that its JavaScript has no names: record with --node-flags',
  );
  expect(await of('node', '--permission', '--allow-inspector', 'app.js')).toContain('--attach-js');
});

test('nothing is missing of a watcher, which runs no JavaScript of the user', async () => {
  const node = found(mapped(7, '/opt/bin/node'), mapped(7, '//anon'));
  const of = (...words: string[]) => explained(node, [], true, { wordsOf: async () => words });
  expect(await of('node', '--watch', 'app.js')).toBeNull();
  expect(await of('node', '--watch-path=src', 'app.js')).toBeNull();
  expect(await of('node', 'app.js', '--watch')).not.toBeNull();
});

test('nothing is missing of a Node that had too little CPU time to come to its preload', async () => {
  const node = found(mapped(7, '/opt/bin/node'), mapped(7, '//anon'));
  expect(await explained(node, [], true, { cpuMsOf: () => 30 })).toBeNull();
  expect(await explained(node, [], true, { cpuMsOf: () => 1000 })).toContain('process 7 ran Node');
});

test('nothing is missing of Node that made no code, wrote a jitdump, or is another program', async () => {
  expect(await explained(found(mapped(7, '/usr/bin/node')))).toBeNull();
  const dumped = [mapped(7, '/usr/bin/node'), mapped(7, '//anon'), mapped(7, '/srv/jit-7.dump')];
  expect(await explained(found(...dumped))).toBeNull();
  expect(await explained(found(mapped(7, '/usr/bin/nodes'), mapped(7, '//anon')))).toBeNull();
});

test('Node is found among the mappings of many processes', async () => {
  const padding = Array.from({ length: 12_000 }, () => mapped(1, `/lib/${'x'.repeat(40)}`));
  const nodes = [7, 8, 9, 10].flatMap((pid) => [mapped(pid, '/bin/node'), mapped(pid, '//anon')]);
  expect(Buffer.concat(padding).length).toBeGreaterThan(2 ** 20);
  expect(await explained(found(...padding, ...nodes))).toContain(
    '4 processes (7, 8, 9 …) ran Node',
  );
});

test('records that make no sense end the search', () => {
  expect(found(new Uint8Array(64)).programs.size).toBe(0);
});
