// Numbers of the ELF format, named as in <elf.h>. https://refspecs.linuxfoundation.org/elf/gabi4+/

export const ELFCLASS32 = 1;
export const ELFCLASS64 = 2;
export const ELFDATA2LSB = 1;
export const ELFDATA2MSB = 2;

export const EM_386 = 3;
export const EM_ARM = 40;
export const EM_X86_64 = 62;
export const EM_AARCH64 = 183;

export const PT_LOAD = 1;
export const PT_DYNAMIC = 2;
export const PT_NOTE = 4;
export const PF_X = 1;
/** `e_phnum` when the count does not fit; the real one is in section 0's `sh_info`. */
export const PN_XNUM = 0xffff;

export const SHT_SYMTAB = 2;
export const SHT_RELA = 4;
export const SHT_NOTE = 7;
export const SHT_NOBITS = 8;
export const SHT_REL = 9;
export const SHT_DYNSYM = 11;
export const SHF_ALLOC = 2;
export const SHF_EXECINSTR = 4;
export const SHF_COMPRESSED = 0x800;
export const ELFCOMPRESS_ZLIB = 1;
export const ELFCOMPRESS_ZSTD = 2;

export const SHN_UNDEF = 0;
export const SHN_ABS = 0xfff1;
/** `e_shstrndx` when the index does not fit; the real one is in section 0's `sh_link`. */
export const SHN_XINDEX = 0xffff;

export const STT_NOTYPE = 0;
export const STT_OBJECT = 1;
export const STT_FUNC = 2;
export const STT_GNU_IFUNC = 10;
export const STB_GLOBAL = 1;
export const STB_WEAK = 2;
export const STV_INTERNAL = 1;
export const STV_HIDDEN = 2;

export const NT_GNU_BUILD_ID = 3;
