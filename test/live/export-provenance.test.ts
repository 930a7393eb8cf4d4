import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { beforeAll, expect, it } from 'vitest';
import type { ExportProvenance } from '../../src/formats/export/export-provenance.ts';
import { decodePageReport } from '../../src/formats/export/page-report.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { parseFolded } from '../helpers/round-trip.ts';

const scratch = scratchDirectory();
const recording = join(scratch, 'perf.data');

const schemaFile = createRequire(import.meta.url)
  .resolve('speedscope/package.json')
  .replace(/package\.json$/, 'dist/release/file-format-schema.json');
const isSpeedscope = new Ajv().compile(JSON.parse(readFileSync(schemaFile, 'utf8')));

function exported(format: string, ...words: string[]) {
  const file = join(scratch, `out.${format}`);
  const outcome = perfTs(['export', recording, '--format', format, '-o', file, ...words]);
  expect(outcome.status, outcome.stderr).toBe(0);
  return { file, text: readFileSync(file, 'utf8') };
}

describeLive('the provenance in exports', () => {
  beforeAll(() => {
    const words = ['record', '-q', '-F', '5000', '-e', 'page-faults:u', '-o', recording, '--'];
    expect(perfTs([...words, compileWorkload(), 'pf', '20480']).status).toBe(0);
  });

  it('provenance is in speedscope files, within the schema', () => {
    const file = JSON.parse(exported('speedscope').text) as { provenance: ExportProvenance };
    expect(isSpeedscope(file), JSON.stringify(isSpeedscope.errors)).toBe(true);
    const [event] = file.provenance.events;
    expect(event).toMatchObject({
      event: 'page-faults:u',
      insteadOf: null,
      weightsFrom: 'realigned-periods',
      isGuess: false,
      rule: { rule: 'next', from: 'table', confidence: 1 },
      lostSamples: 0,
      coverage: 1,
    });
    expect(event.weighed).toBeLessThanOrEqual(event.counted as number);
  });

  it('provenance is in a file next to folded stacks', () => {
    const { file, text } = exported('folded');
    const total = parseFolded(text).weights.values.reduce((sum, weight) => sum + weight, 0);
    const beside = JSON.parse(readFileSync(`${file}.provenance.json`, 'utf8')) as ExportProvenance;
    expect(beside.events.map(({ event }) => event)).toEqual(['page-faults:u']);
    expect(beside.events[0].weighed).toBeCloseTo(total, 0);
  });

  it('provenance of folded stacks to a pipe or device goes to stderr', () => {
    for (const output of ['-', '/dev/null']) {
      const words = [
        'export',
        recording,
        '--format',
        'folded',
        '--weight',
        'samples',
        '-o',
        output,
      ];
      const { stdout, stderr } = perfTs(words);
      expect(stderr).toContain('each sample weighs 1, whatever its period was');
      if (output === '-') parseFolded(stdout);
    }
    expect(existsSync('/dev/null.provenance.json')).toBe(false);
  });

  it('provenance is in the HTML page, as data and text', () => {
    const { text } = exported('html');
    const block = /id="page-report-0">(.*?)<\/script>/s.exec(text)?.[1] ?? '';
    const { provenance } = decodePageReport(gunzipSync(Buffer.from(block, 'base64')).toString());
    expect(provenance.events[0].rule!.rule).toBe('next');
    expect(provenance.events[0].sentences[0]).toContain('as is known of this kind of event');
  });
});
