import { describe, expect, test } from 'vitest';
import { parseFormatFile } from '../../../src/kernel/tracepoint/format-file.ts';

/** What a declaration says, with 8 bytes of longs. */
function fieldOf(declaration: string, size: number, signed = ';\tsigned:0;') {
  const text = `name: x\nID: 1\nformat:\n\tfield:${declaration};\toffset:8;\tsize:${size}${signed}\n`;
  const field = parseFormatFile(text, 8)!.fields[0];
  const { name, type, location, isArray, elementSize, isString, isPointer } = field;
  return [name, type, location, isArray, elementSize, isString, isPointer];
}

describe('parseFormatFile', () => {
  test('a format file gives name, id, common fields, fields and print fmt', () => {
    const file = parseFormatFile(
      [
        'name: sched_wakeup',
        'ID: 318',
        'format:',
        '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;',
        '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;',
        '',
        '\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;',
        '',
        'print fmt: "pid=%d", REC->pid',
        '',
      ].join('\n'),
      8,
    )!;
    expect([file.name, file.id, file.printFmt]).toEqual([
      'sched_wakeup',
      318,
      '"pid=%d", REC->pid',
    ]);
    expect(file.commonFields.map(({ name }) => name)).toEqual(['common_type', 'common_pid']);
    expect(file.fields).toEqual([
      {
        name: 'pid',
        type: 'pid_t',
        offset: 8,
        size: 4,
        signed: true,
        location: 'fixed',
        isArray: false,
        elementSize: 4,
        isString: false,
        isPointer: false,
      },
    ]);
  });

  test.each([
    ['char comm[16]', 16, ['comm', 'char', 'fixed', true, 1, true, false]],
    ['char comm[TASK_COMM_LEN]', 16, ['comm', 'char', 'fixed', true, 1, true, false]],
    ['unsigned long args[6]', 48, ['args', 'unsigned long', 'fixed', true, 8, false, false]],
    ['__u8 saddr[4]', 4, ['saddr', '__u8', 'fixed', true, 1, false, false]],
    ['__data_loc char[] name', 4, ['name', 'char', 'dynamic', true, 1, true, false]],
    ['__rel_loc char[] name', 4, ['name', 'char', 'relative', true, 1, true, false]],
    ['__data_loc u64[] sizes', 4, ['sizes', 'u64', 'dynamic', true, 8, false, false]],
    [
      '__data_loc unsigned long[] mask',
      4,
      ['mask', 'unsigned long', 'dynamic', true, 8, false, false],
    ],
    ['const char * name', 8, ['name', 'const char *', 'fixed', false, 8, false, true]],
    ['struct task_struct *p', 8, ['p', 'struct task_struct *', 'fixed', false, 8, false, true]],
    [
      'const char __attribute__((btf_type_tag("user"))) * filename',
      8,
      [
        'filename',
        'const char __attribute__((btf_type_tag("user"))) *',
        'fixed',
        false,
        8,
        false,
        true,
      ],
    ],
    ['enum zone_type zone', 4, ['zone', 'enum zone_type', 'fixed', false, 4, false, false]],
  ])('%s', (declaration, size, expected) => {
    expect(fieldOf(declaration, size)).toEqual(expected);
  });

  test('format files of kernels that omit signedness use the type', () => {
    const text = (type: string) =>
      `name: x\nID: 1\nformat:\n\tfield:${type} a;\toffset:8;\tsize:4;\n`;
    expect(parseFormatFile(text('int'), 8)!.fields[0].signed).toBe(true);
    expect(parseFormatFile(text('unsigned int'), 8)!.fields[0].signed).toBe(false);
  });

  test('a format file without name or id is refused; unknown lines are skipped', () => {
    expect(parseFormatFile('', 8)).toBeNull();
    expect(parseFormatFile('name: x\n', 8)).toBeNull();
    expect(parseFormatFile('name: x\nID: 3\n\tfield:;\n\tfield:int a\n', 8)!.fields).toEqual([]);
  });
});
