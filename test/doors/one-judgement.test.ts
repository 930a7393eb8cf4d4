// One recording is judged once: the same findings at each door.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/base/event-type.ts';
import {
  doubtsOfEvents,
  type Finding,
  findingText,
  worstSeverity,
} from '../../src/findings/finding.ts';
import { decodePageReport, encodePageReport } from '../../src/formats/export/page-report.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { describePageReport } from '../../src/read/outputs/describe-page-report.ts';
import { fileFindingsOf, findingsOf } from '../../src/read/outputs/findings-of.ts';
import { assessTrust } from '../../web/src/ask/trust.ts';
import type { OpenResult } from '../../web/src/worker/messages/messages.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { perfDataFile, plainSample, record } from '../helpers/record-builder.ts';

const FEATURE_HOSTNAME = 3;
const SAMPLES = 400;

const clock = newAttr({
  type: PERF_TYPE.SOFTWARE,
  config: BigInt(PERF_COUNT_SW.CPU_CLOCK),
  samplePeriod: 1000,
  sampleType: PERF_SAMPLE.IDENTIFIER | PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME,
  flags: { sampleIdAll: true },
});

const samples = Array.from({ length: SAMPLES }, (_, i) =>
  plainSample({ id: 1, ip: 0x1000 + ((i * 7919) % 64), pid: 7, tid: 7, time: 1000 * (i + 1) }),
);

/** As the kernel announces that these did not fit. */
const lost = (count: number) =>
  record(PERF_RECORD.LOST_SAMPLES, 0, (out) =>
    out
      .u64(count)
      .u32(7)
      .u32(7)
      .u64(1000 * SAMPLES + 1)
      .u64(1),
  );

function fileOf(records: readonly Uint8Array[]): Uint8Array {
  // A file without any feature was cut.
  const features = [[FEATURE_HOSTNAME, Buffer.from('\x08\0\0\0machine\0')]] as const;
  return perfDataFile({ attrs: [{ attr: clock, ids: [1] }], records: [...records], features });
}

/** A header of a record in the middle says 0 bytes: nothing behind it can be found. */
function garbled(): Uint8Array {
  const whole = fileOf(samples);
  const bytes = Uint8Array.from(whole);
  const at = bytes.length >> 3;
  bytes.fill(0, at, bytes.length - (bytes.length >> 3));
  return bytes;
}

const whole = fileOf(samples);
const RECORDINGS: readonly [name: string, bytes: Uint8Array, found: Partial<Finding>[]][] = [
  [
    'lossy',
    fileOf([...samples, lost(100)]),
    [{ code: 'samples-lost', severity: 'wrong', share: 0.2 }],
  ],
  ['garbled', garbled(), [{ code: 'bytes-skipped', severity: 'wrong' }]],
  ['cut', whole.subarray(0, whole.length >> 1), [{ code: 'recording-cut', severity: 'wrong' }]],
];

const codesOf = (findings: readonly Finding[]) => findings.map(({ code }) => code);

describe.each(RECORDINGS)('a %s recording', (name, bytes, expected) => {
  const path = join(scratchDirectory(), `${name}.data`);
  writeFileSync(path, bytes);
  const judged = async () => findingsOf(await openProfile(path));

  test('the recording is judged by the library', async () => {
    const findings = await judged();
    for (const one of expected) expect(findings).toContainEqual(expect.objectContaining(one));
    expect(worstSeverity(findings)).toBe('wrong');
  });

  test('the recording is judged the same at each level of frames', async () => {
    const own = findingsOf(await openProfile(path, { frames: 'own' }));
    expect(own).toEqual(await judged());
  });

  test('the recording has the same findings in report --json', async () => {
    const { stdout } = perfTs(['report', '--json', path]);
    expect(JSON.parse(stdout).findings).toEqual(await judged());
  });

  test('the recording has a line for each that is wrong in report, which vouches for no interval', async () => {
    const { stdout } = perfTs(['report', path]);
    const wrong = (await judged()).filter(({ severity }) => severity === 'wrong');
    for (const finding of wrong) expect(stdout).toContain(`# trust: ${findingText(finding)}`);
    expect(stdout).not.toContain('in 95 of 100');
  });

  test('the damage is reported on standard error by commands that read it', async () => {
    const ofFile = fileFindingsOf(await openProfile(path));
    for (const command of ['report', 'script', 'info']) {
      const { stderr } = perfTs([command, path]);
      const damage = ofFile.filter(({ severity }) => severity === 'wrong');
      for (const { sentence } of damage) expect(stderr, command).toContain(sentence);
    }
  });

  test('the recording has the findings about its file in info --json', async () => {
    const found: Finding[] = JSON.parse(perfTs(['info', '--json', path]).stdout).findings;
    const codes = new Set(codesOf(await judged()));
    expect(codesOf(found).length).toBeGreaterThan(0);
    expect(codesOf(found).filter((code) => !codes.has(code))).toEqual([]);
  });

  test('the recording is not called sound by the page, which has the same findings', async () => {
    const opened = await openProfile(path);
    const report = decodePageReport(encodePageReport(describePageReport(opened)));
    expect(report.findings).toEqual(await judged());
    const late = { get: () => report, problem: () => null, onArrival: () => {} };
    const { level, label } = assessTrust({} as OpenResult, late, 0);
    expect([level, label]).toEqual(['poor', report.findings[0].label]);
  });

  test('the recording has the same findings for an assistant', async () => {
    const { stdout } = perfTs(['mcp', '--md', `open ${JSON.stringify({ file: path })}`]);
    const told = [...stdout.matchAll(/^(?:wrong|doubt|note): ([a-z-]+): /gm)];
    expect(told.map(([, code]) => code)).toEqual(codesOf(await judged()));
  });

  test('the recording has the same findings in periods, query and diff --json', async () => {
    const findings = await judged();
    const documentOf = (args: string[]) => JSON.parse(perfTs(args).stdout);
    expect(documentOf(['periods', '--json', path]).findings).toEqual(findings);
    const sound = join(scratchDirectory(), 'sound.data');
    writeFileSync(sound, whole);
    const diff = documentOf(['diff', '--json', sound, path]);
    expect(diff.findings).toEqual([findings]);
    expect(diff.otherFindings).toEqual([findingsOf(await openProfile(sound))]);
    for (const asked of ['top', 'select count(*) from samples']) {
      const { recordings } = documentOf(['query', '--json', asked, path]);
      expect(recordings[0].findings, asked).toEqual(findings);
    }
  });

  test('the recording has the same findings in the provenance of exports', async () => {
    const output = join(scratchDirectory(), 'exported');
    perfTs(['export', '--format', 'speedscope', '-o', output, path]);
    const { provenance } = JSON.parse(readFileSync(output, 'utf8'));
    expect(provenance.findings).toEqual(await judged());
    perfTs(['export', '--format', 'folded', '-o', output, path]);
    const beside = JSON.parse(readFileSync(`${output}.provenance.json`, 'utf8'));
    expect(beside.findings).toEqual(await judged());
  });

  test('periods has a line for each that is wrong, and claims no completeness', async () => {
    const { stdout } = perfTs(['periods', path]);
    const text = stdout.replace(/\s+/g, ' ');
    const wrong = (await judged()).filter(({ severity }) => severity === 'wrong');
    for (const { code, sentence } of wrong) {
      // The row on losses has more figures.
      expect(text, code).toContain(code === 'samples-lost' ? 'were lost' : sentence);
    }
    expect(text).not.toContain('none lost');
  });

  test('diff has a line for each doubt, which names the recording, at each of its doors', async () => {
    const sound = join(scratchDirectory(), 'sound.data');
    writeFileSync(sound, whole);
    const texts = doubtsOfEvents(await judged(), [0]).map(
      (each) => `${path}: ${findingText(each)}`,
    );
    const input = JSON.stringify({ old: sound, new: path });
    const doors = [
      perfTs(['diff', sound, path]).stdout,
      perfTs(['diff', '--md', sound, path]).stdout,
      perfTs(['mcp', '--md', `diff ${input}`]).stdout,
    ];
    for (const text of texts) for (const door of doors) expect(door).toContain(text);
  });

  test.each(['top', 'select * from top_self'])(
    'a question, %s, has doubts about sampling and stacks on standard error, once',
    async (question) => {
      const { stderr } = perfTs(['query', question, path]);
      const lines = stderr.split('\n');
      for (const finding of doubtsOfEvents(await judged(), [0])) {
        const found = lines.filter((line) => line.endsWith(findingText(finding)));
        expect(found, finding.code).toHaveLength(1);
      }
    },
  );

  test('a finding ends report --fail-on with status 3', () => {
    const failing = perfTs(['report', '--fail-on', `${expected[0].code}`, path]);
    expect(failing.status).toBe(3);
    expect(perfTs(['report', '--fail-on', 'samples-in-step', path]).status).toBe(0);
  });
});

test('a sound recording is vouched for at each door', async () => {
  const path = join(scratchDirectory(), 'sound.data');
  writeFileSync(path, whole);
  const opened = await openProfile(path);
  const doubts = findingsOf(opened).filter(({ code }) => code !== 'samples-unnamed');
  expect(doubts).toEqual([]);
  expect(perfTs(['report', '--fail-on', 'wrong', path]).status).toBe(0);
  expect(perfTs(['report', path]).stdout).toMatch(/none lost$[\s\S]* in 95 of 100 recordings$/m);
  expect(JSON.parse(perfTs(['info', '--json', path]).stdout).findings).toEqual([]);
});
