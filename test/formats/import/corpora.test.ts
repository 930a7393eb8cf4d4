import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { writeFolded } from '../../../src/formats/export/folded.ts';
import { detectText } from '../../../src/formats/import/detect-text.ts';
import { importFolded } from '../../../src/formats/import/folded.ts';
import { importPerfScript } from '../../../src/formats/import/perf-script.ts';
import type { Profile } from '../../../src/profile/types.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { CORPORA, hasCorpora, readCorpus } from '../../helpers/corpora.ts';
import { collect } from '../../helpers/round-trip.ts';

type Listed = { readonly file: string; readonly kind: string; readonly size: number };

const listed: Listed[] = hasCorpora
  ? (JSON.parse(readFileSync(join(CORPORA, 'index.json'), 'utf8')) as Listed[])
  : [];
const scripts = listed.filter(({ kind, size }) => kind === 'perf-script' && size > 0);
const foldeds = listed.filter(({ kind, size }) => kind === 'folded-golden' && size > 0);

function readText(file: string): Uint8Array {
  const bytes = readCorpus(file);
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** Lines by stack. Annotations say what a frame is; the model has that as the kind of its DSO. */
function stacks(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.replaceAll(/_\[[kji]\]/g, '').split('\n')) {
    if (line === '') continue;
    const end = line.lastIndexOf(' ');
    const stack = line.slice(0, end);
    counts.set(stack, (counts.get(stack) ?? 0) + Number(line.slice(end + 1)));
  }
  return counts;
}

function foldedOf(profile: Profile, names: 'tidy' | 'full'): Map<string, number> {
  const values = new Float64Array(profile.samples.periodEvents);
  const weights = { kind: 'period', unit: 'events', values } as const;
  return stacks(collect((write) => writeFolded(profile, weights, { names }, write)));
}

describe.skipIf(!hasCorpora)('folded stacks of other projects', () => {
  it.each(foldeds.map(({ file }) => [file]))('%s come out as they went in', (file) => {
    const bytes = readText(file);
    expect(detectText(bytes)).toBe('folded');
    const { profile, diagnostics } = importFolded(memorySource(bytes));
    checkProfile(profile);
    expect(diagnostics.entries()).toEqual([]);
    expect(foldedOf(profile, 'full')).toEqual(stacks(new TextDecoder().decode(bytes)));
  });
});

describe.skipIf(!hasCorpora)('perf script text of other projects', () => {
  it.each(scripts.map(({ file }) => [file]))('%s is understood to the last line', (file) => {
    const bytes = readText(file);
    expect(detectText(bytes)).toBe('perf-script');
    const { profile, diagnostics } = importPerfScript(memorySource(bytes));
    checkProfile(profile);
    expect(diagnostics.entries()).toEqual([]);
    expect(profile.samples.length).toBe(headLines(new TextDecoder().decode(bytes)));
  });

  const goldens = scripts
    .map(({ file }) => ({ file, golden: goldenOf(file) }))
    .filter((pair): pair is { file: string; golden: string } => pair.golden !== null);

  it.each(goldens.map(({ file, golden }) => [file, golden]))('%s folds to %s', (file, golden) => {
    const { profile } = importPerfScript(memorySource(withLastLine(file, readText(file))));
    const ours = foldedOf(profile, 'tidy');
    const expected = stacks(new TextDecoder().decode(readText(golden)));
    expect(comparable(file, ours)).toEqual(comparable(file, expected));
  });
});

/** A sample begins at a line that is no comment, at the start or behind an empty line. */
function headLines(text: string): number {
  const blocks = text.replaceAll(/^#.*\n/gm, '').split(/\n\s*\n/);
  return blocks.filter((block) => block.trim() !== '').length;
}

function goldenOf(file: string): string | null {
  const [, owner, name] = /^([^/]+)\/(.*?)\.txt(?:\.gz)?$/.exec(file) ?? [];
  const candidate = (suffix: string) =>
    foldeds.find((golden) => golden.file.startsWith(`${owner}/results/${name}-collapsed${suffix}`));
  return (candidate('-all') ?? candidate('.txt'))?.file ?? null;
}

/**
 * stackcollapse-perf.pl counts a sample at the empty line behind it, and so forgets the last sample
 * of a file that ends without one. To compare, that sample is cut here as well.
 */
function withLastLine(file: string, bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes);
  if (!file.startsWith('brendangregg') || /\n\s*\n$/.test(text)) return bytes;
  return new TextEncoder().encode(text.slice(0, text.lastIndexOf('\n\n') + 2));
}

/**
 * Where the tools that made the goldens shorten names in other ways than stackcollapse-perf.pl's
 * generic one, which is ours, the names are left out of the comparison:
 *
 * - for java, it also takes the `L` off `Lorg/mozilla/…`;
 * - inferno keeps the parameters of `std::function<int (int, int)>`, and demangles Rust's
 *   `gc::gc::GcBox$LT$T$GT$::new` inside of names that perf left half mangled.
 */
function comparable(file: string, counts: Map<string, number>): [string, number][] {
  const rename = (stack: string): string => {
    if (file.includes('java')) return stack.replaceAll(/;L(?=[^;]*\/)/g, ';');
    if (file.includes('cpp-stacks')) return stack.replaceAll(/(?<=;)std::[^;]*.*$/g, 'std::…');
    if (file.includes('single-event'))
      return stack.replaceAll(/gc::gc::GcBox[^;]*closure[^;]*/g, '…');
    return stack;
  };
  const merged = new Map<string, number>();
  for (const [stack, count] of counts) {
    const renamed = rename(stack);
    merged.set(renamed, (merged.get(renamed) ?? 0) + count);
  }
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1));
}
