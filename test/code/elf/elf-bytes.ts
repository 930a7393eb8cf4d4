/** One section to build: its bytes, and where it says that it lies in memory. */
export type DrawnSection = {
  readonly name: string;
  readonly type: number;
  readonly flags?: number;
  readonly address?: number;
  readonly bytes?: Uint8Array;
  /** Stated size, where it is to differ from the bytes. */
  readonly size?: number;
  readonly link?: number;
  readonly info?: number;
  readonly entrySize?: number;
};

export type DrawnElf = {
  readonly is64: boolean;
  readonly littleEndian: boolean;
  readonly machine?: number;
  readonly sections: readonly DrawnSection[];
  /** PT_* segments: type, offset, address, size in file and memory. */
  readonly segments?: readonly (readonly [number, number, number, number])[];
  /** Write the section count into section 0, as files with more than 0xff00 do. */
  readonly countInSectionZero?: boolean;
};

/** An ELF file laid out as header, segments, contents, `.shstrtab`, section headers. */
export function elfBytes(drawn: DrawnElf): Uint8Array {
  const { is64, littleEndian: little } = drawn;
  const segments = drawn.segments ?? [];
  const names = ['', ...drawn.sections.map(({ name }) => name), '.shstrtab'];
  const nameOffsets: number[] = [];
  let nameBytes = '';
  for (const name of names) {
    nameOffsets.push(nameBytes.length);
    nameBytes += `${name}\0`;
  }
  const sections: DrawnSection[] = [
    { name: '', type: 0, size: drawn.countInSectionZero ? names.length : 0 },
    ...drawn.sections,
    { name: '.shstrtab', type: 3, bytes: new TextEncoder().encode(nameBytes) },
  ];
  const headerSize = is64 ? 64 : 52;
  const segmentSize = is64 ? 56 : 32;
  const sectionSize = is64 ? 64 : 40;
  let end = headerSize + segments.length * segmentSize;
  const offsets = sections.map(({ bytes }) => {
    const offset = end;
    end += bytes?.length ?? 0;
    return offset;
  });
  const sectionsAt = Math.ceil(end / 8) * 8;
  const bytes = new Uint8Array(sectionsAt + sections.length * sectionSize);
  const view = new DataView(bytes.buffer);
  const word = (at: number, value: number) => {
    if (is64) view.setBigUint64(at, BigInt.asUintN(64, BigInt(value)), little);
    else view.setUint32(at, value, little);
  };

  bytes.set([0x7f, 0x45, 0x4c, 0x46, is64 ? 2 : 1, little ? 1 : 2, 1]);
  view.setUint16(16, 3, little);
  view.setUint16(18, drawn.machine ?? 62, little);
  word(is64 ? 32 : 28, segments.length > 0 ? headerSize : 0);
  word(is64 ? 40 : 32, sectionsAt);
  const tail = is64 ? 52 : 40;
  view.setUint16(tail, headerSize, little);
  view.setUint16(tail + 2, segmentSize, little);
  view.setUint16(tail + 4, segments.length, little);
  view.setUint16(tail + 6, sectionSize, little);
  view.setUint16(tail + 8, drawn.countInSectionZero ? 0 : sections.length, little);
  view.setUint16(tail + 10, sections.length - 1, little);

  segments.forEach(([type, offset, address, size], i) => {
    const at = headerSize + i * segmentSize;
    view.setUint32(at, type, little);
    word(at + (is64 ? 8 : 4), offset);
    word(at + (is64 ? 16 : 8), address);
    word(at + (is64 ? 32 : 16), size);
    word(at + (is64 ? 40 : 20), size);
    word(at + (is64 ? 48 : 28), 4);
  });
  sections.forEach((section, i) => {
    bytes.set(section.bytes ?? [], offsets[i]);
    const at = sectionsAt + i * sectionSize;
    view.setUint32(at, nameOffsets[i], little);
    view.setUint32(at + 4, section.type, little);
    word(at + 8, section.flags ?? 0);
    word(at + (is64 ? 16 : 12), section.address ?? 0);
    word(at + (is64 ? 24 : 16), i === 0 ? 0 : offsets[i]);
    word(at + (is64 ? 32 : 20), section.size ?? section.bytes?.length ?? 0);
    view.setUint32(at + (is64 ? 40 : 24), section.link ?? 0, little);
    view.setUint32(at + (is64 ? 44 : 28), section.info ?? 0, little);
    word(at + (is64 ? 56 : 36), section.entrySize ?? 0);
  });
  return bytes;
}

export type DrawnSymbol = {
  readonly name: string;
  readonly value: number;
  readonly size?: number;
  readonly type?: number;
  readonly binding?: number;
  readonly visibility?: number;
  readonly section?: number;
};

/** The bytes of `.symtab` and its `.strtab`, with the reserved symbol 0. */
export function symbolBytes(
  is64: boolean,
  little: boolean,
  symbols: readonly DrawnSymbol[],
): { symtab: Uint8Array; strtab: Uint8Array } {
  const stride = is64 ? 24 : 16;
  const symtab = new Uint8Array((symbols.length + 1) * stride);
  const view = new DataView(symtab.buffer);
  let strings = '\0';
  symbols.forEach((symbol, i) => {
    const at = (i + 1) * stride;
    const info = ((symbol.binding ?? 1) << 4) | (symbol.type ?? 2);
    view.setUint32(at, strings.length, little);
    view.setUint8(at + (is64 ? 4 : 12), info);
    view.setUint8(at + (is64 ? 5 : 13), symbol.visibility ?? 0);
    view.setUint16(at + (is64 ? 6 : 14), symbol.section ?? 1, little);
    if (is64) {
      view.setBigUint64(at + 8, BigInt.asUintN(64, BigInt(symbol.value)), little);
      view.setBigUint64(at + 16, BigInt(symbol.size ?? 0), little);
    } else {
      view.setUint32(at + 4, symbol.value, little);
      view.setUint32(at + 8, symbol.size ?? 0, little);
    }
    strings += `${symbol.name}\0`;
  });
  return { symtab, strtab: new TextEncoder().encode(strings) };
}
