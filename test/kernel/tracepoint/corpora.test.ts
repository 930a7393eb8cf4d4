import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { openPerfData } from '../../../src/formats/perf-data/reader.ts';
import { hasCorpora, readCorpus } from '../../helpers/corpora.ts';
import { ourTexts } from '../../helpers/tracepoint-texts.ts';

function textsOf(path: string) {
  return ourTexts(openPerfData(memorySource(readCorpus(path))));
}

describe.skipIf(!hasCorpora)('recordings of tracepoints', () => {
  test('tracepoints: every system call recorded by perf 6.1', () => {
    const texts = textsOf('own/sys_enter-c1-fork-fp.data');
    expect(texts).toHaveLength(395);
    for (const { event, text } of texts) {
      expect(event).toBe('raw_syscalls:sys_enter');
      expect(text).toMatch(/^NR \d+ \(([0-9a-f]+, ){5}[0-9a-f]+\)$/);
    }
  });

  test('tracepoints: one among other events', () => {
    const texts = textsOf('own/multi-5events-threads-forks.data');
    expect(texts.length).toBeGreaterThan(0);
    for (const { text } of texts) expect(text).toMatch(/^NR -?\d+ = -?\d+$/);
  });

  test('a uprobe of perf 4.9, tracing data of version 0.5', () => {
    const texts = textsOf('KDAB+perfparser/probe.data.file');
    expect(texts.map(({ event, text }) => [event, text])).toEqual([
      ['probe_untitled1:main', '(55d1db028560)'],
    ]);
  });

  test('strings of a kprobe of simpleperf, whose tracing data perf refuses', () => {
    const texts = textsOf(
      'jbeich+platform_system_extras/perf_with_tracepoint_event_dynamic_field.data',
    );
    const tracefs = '/sys/kernel/debug/tracing';
    expect(texts.map(({ text }) => text)).toEqual(
      [
        'perf.data',
        `${tracefs}/events/header_page`,
        `${tracefs}/events/header_event`,
        `${tracefs}/events/ftrace/myopen/format`,
        `${tracefs}/events/kprobes/myopen/format`,
        `${tracefs}/printk_formats`,
        '/proc/modules',
        '/vendor/lib/modules',
        '/odm/lib/modules',
        '/lib/modules',
      ].map((path) => `(ffffffffa9a84150) name="${path}" dfd=-100`),
    );
  });
});
