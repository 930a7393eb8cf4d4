import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SymbolSources } from '../../src/options/reading.ts';
import { CORPORA } from './corpora.ts';
import { readCorpusText } from './corpus-text.ts';

const LIBRARIES = 'usr/lib/x86_64-linux-gnu';

/**
 * The files of the machine that the corpora's own recordings are from, laid out below `directory` at
 * the paths that they were mapped at: where `perf script --symfs` had its names from.
 */
export function layOutRecordedMachine(directory: string): SymbolSources {
  mkdirSync(join(directory, 'tmp/w'), { recursive: true });
  mkdirSync(join(directory, LIBRARIES), { recursive: true });
  for (const name of readdirSync(join(CORPORA, 'own/bin'))) {
    const folder = name.startsWith('w_') ? 'tmp/w' : LIBRARIES;
    copyFileSync(join(CORPORA, 'own/bin', name), join(directory, folder, name));
  }
  writeFileSync(join(directory, 'tmp/perf-6712.map'), readCorpusText('own/perf-6712.map.gz'));
  return { symfs: directory, kallsyms: join(CORPORA, 'own/kallsyms.subset') };
}
