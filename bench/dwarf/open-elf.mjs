// A DwarfFile over an ELF file on disk, with what a comparison needs of the file.

import { fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const dist = resolve(process.env.PERF_TS_DIST ?? 'dist');
const load = (path) => import(pathToFileURL(resolve(dist, path)).href);
const { Diagnostics } = await load('base/diagnostics.js');
const { parseElf, findSection } = await load('code/elf/elf-file.js');
const { openSection } = await load('code/elf/section-bytes.js');
const { sectionDecoders } = await load('read/files/section-decoders.js');
export const { DwarfFile, SourceFrames } = await load('code/dwarf/dwarf-file.js');

function fileSource(path) {
  const fd = openSync(path, 'r');
  const { size } = fstatSync(fd);
  const read = (offset, length) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
    readSync(fd, bytes, 0, bytes.length, offset);
    return bytes;
  };
  return { size, read };
}

function readElf(path, diagnostics) {
  const elf = parseElf(fileSource(path), diagnostics);
  const provide = (name) => openSection(elf, name, diagnostics, sectionDecoders);
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
