// A DwarfFile over an ELF file on disk, with what a comparison needs of the file.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const dist = resolve(process.env.PERF_TS_DIST ?? 'dist');
const load = (path) => import(pathToFileURL(resolve(dist, path)).href);
const { Diagnostics } = await load('base/diagnostics.js');
const { memorySource } = await load('base/byte-source.js');
const { parseElf, findSection } = await load('elf/elf-file.js');
const { sectionBytes } = await load('elf/section-bytes.js');
const { sectionDecoders } = await load('session/read/section-decoders.js');
export const { DwarfFile, SourceFrames } = await load('dwarf/dwarf-file.js');

function readElf(path, diagnostics) {
  const elf = parseElf(memorySource(readFileSync(path)), diagnostics);
  const provide = (name) => sectionBytes(elf, name, diagnostics, sectionDecoders);
  return { elf, provide };
}

/** `text` is the code's section, or null. */
export function openElf(path, { alternatePath = null } = {}) {
  const diagnostics = new Diagnostics();
  const { elf, provide } = readElf(path, diagnostics);
  const ifThere = (file) => {
    try {
      return readElf(file, diagnostics).provide;
    } catch {
      return null;
    }
  };
  const dwarf = new DwarfFile({
    sections: provide,
    littleEndian: elf.header.littleEndian,
    diagnostics,
    alternate: () => (alternatePath === null ? null : ifThere(alternatePath)),
    split: {
      dwo: ({ dwoName, compilationDirectory }) => ifThere(resolve(compilationDirectory, dwoName)),
      dwp: () => ifThere(`${path}.dwp`),
    },
  });
  return { dwarf, diagnostics, text: findSection(elf, '.text'), elf };
}
