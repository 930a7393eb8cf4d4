/**
 * One decoded instruction of x86-64: how long it is, and its opcode where the walk to a function's
 * `ret` looks at it. Filled again and again. Intel SDM volume 2, appendix A (opcode maps) and
 * section 2.1 (formats).
 */
export class Instruction {
  /** 0: not understood, or behind the end of the text. */
  length = 0;
  /** One-byte opcode, 0x0f00 and the second byte, or −1 for all others. */
  opcode = -1;
  /** −1 if there is none. */
  modrm = -1;
  /** REX prefix, 0 if there is none. */
  rex = 0;
  /** The immediate or branch distance of 8 or 32 bits, sign-extended; 0 if there is none. */
  immediate = 0;

  decode(text: Uint8Array, start: number): boolean {
    this.length = 0;
    this.opcode = -1;
    this.modrm = -1;
    this.rex = 0;
    this.immediate = 0;
    let at = start;
    let isWord = false;
    while (isPrefix(text[at])) {
      if (text[at] === 0x66) isWord = true;
      at++;
    }
    let byte = text[at++] ?? -1;
    if (byte >= 0x40 && byte <= 0x4f) {
      this.rex = byte;
      byte = text[at++] ?? -1;
    }
    let shape = NONE;
    if (byte === 0xc5 || byte === 0xc4 || byte === 0x62) {
      const map = byte === 0xc5 ? 1 : text[at] & (byte === 0xc4 ? 0x1f : 0x07);
      at += byte === 0xc5 ? 1 : byte === 0xc4 ? 2 : 3;
      const opcode = text[at++] ?? -1;
      shape = map === 3 ? MODRM | IMM8 : map === 1 ? shape0f(opcode) : MODRM;
    } else if (byte === 0x0f) {
      const second = text[at++] ?? -1;
      if (second === 0x38 || second === 0x3a) {
        at++;
        shape = second === 0x3a ? MODRM | IMM8 : MODRM;
      } else {
        this.opcode = 0x0f00 + second;
        shape = shape0f(second);
      }
    } else {
      this.opcode = byte;
      shape = shapeOneByte(byte, this.rex);
    }
    if (shape === UNKNOWN || at > text.length) return false;
    if ((shape & MODRM) !== 0) {
      this.modrm = text[at] ?? -1;
      at += operandLength(text, at);
      const isTest = (byte === 0xf6 || byte === 0xf7) && ((this.modrm >> 3) & 7) < 2;
      if (isTest) shape |= byte === 0xf6 ? IMM8 : IMM32;
    }
    // REX.W goes before the operand size prefix.
    const immediateBytes = immediateLength(shape, isWord && (this.rex & 8) === 0);
    if (at + immediateBytes > text.length) return false;
    if (immediateBytes === 1) this.immediate = (text[at] << 24) >> 24;
    else if (immediateBytes === 4) this.immediate = readI32(text, at);
    this.length = at + immediateBytes - start;
    return true;
  }
}

// What follows an opcode, as bits.
const NONE = 0;
const MODRM = 1;
const IMM8 = 2;
const IMM16 = 4;
/** 16 bits with an operand size prefix. */
const IMM32 = 8;
const IMM64 = 16;
/** Flag of a branch's operand: 32 bits with any prefix. */
const REL32 = 32;
const UNKNOWN = 64;

function isPrefix(byte: number | undefined): boolean {
  switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67:
    case 0xf0:
    case 0xf2:
    case 0xf3:
      return true;
    default:
      return false;
  }
}

function shapeOneByte(opcode: number, rex: number): number {
  if (opcode < 0x40) {
    const form = opcode & 7;
    if (opcode < 0 || form > 5) return UNKNOWN;
    return form < 4 ? MODRM : form === 4 ? IMM8 : IMM32;
  }
  if (opcode >= 0x50 && opcode <= 0x5f) return NONE;
  if (opcode >= 0x70 && opcode <= 0x7f) return IMM8;
  if (opcode >= 0x84 && opcode <= 0x8f) return MODRM;
  if (opcode >= 0x90 && opcode <= 0x9f) return opcode === 0x9a ? UNKNOWN : NONE;
  if (opcode >= 0xa0 && opcode <= 0xa3) return IMM64;
  if (opcode >= 0xb0 && opcode <= 0xb7) return IMM8;
  if (opcode >= 0xb8 && opcode <= 0xbf) return (rex & 8) !== 0 ? IMM64 : IMM32;
  if (opcode >= 0xd0 && opcode <= 0xd3) return MODRM;
  if (opcode >= 0xd8 && opcode <= 0xdf) return MODRM;
  if (opcode >= 0xe0 && opcode <= 0xe3) return IMM8;
  switch (opcode) {
    case 0x63:
    case 0xf6:
    case 0xf7:
    case 0xfe:
    case 0xff:
      return MODRM;
    case 0x68:
    case 0xa9:
      return IMM32;
    case 0x6a:
    case 0xa8:
    case 0xcd:
    case 0xeb:
      return IMM8;
    case 0x69:
    case 0x81:
    case 0xc7:
      return MODRM | IMM32;
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xc0:
    case 0xc1:
    case 0xc6:
      return MODRM | IMM8;
    case 0xc2:
      return IMM16;
    case 0xe8:
    case 0xe9:
      return REL32;
    case 0xa4:
    case 0xa5:
    case 0xa6:
    case 0xa7:
    case 0xaa:
    case 0xab:
    case 0xac:
    case 0xad:
    case 0xae:
    case 0xaf:
    case 0xc3:
    case 0xc9:
    case 0xcc:
    case 0xf4:
    case 0xf5:
    case 0xf8:
    case 0xf9:
    case 0xfc:
    case 0xfd:
      return NONE;
    default:
      return UNKNOWN;
  }
}

function shape0f(opcode: number): number {
  if (opcode >= 0x80 && opcode <= 0x8f) return REL32;
  if (opcode >= 0x70 && opcode <= 0x73) return MODRM | IMM8;
  if (opcode >= 0xc8 && opcode <= 0xcf) return NONE;
  if (opcode >= 0x05 && opcode <= 0x09) return NONE;
  // Control and debug registers: only the kernel's code has them, and their modrm is never memory.
  if (opcode >= 0x20 && opcode <= 0x23) return UNKNOWN;
  if (opcode >= 0x30 && opcode <= 0x37) return NONE;
  switch (opcode) {
    case 0x0b:
    case 0x0e:
    case 0x77:
    case 0xa0:
    case 0xa1:
    case 0xa2:
    case 0xa8:
    case 0xa9:
    case 0xaa:
      return NONE;
    // 3DNow!: the operation stands behind its operands.
    case 0x0f:
    case 0xa4:
    case 0xac:
    case 0xba:
    case 0xc2:
    case 0xc4:
    case 0xc5:
    case 0xc6:
      return MODRM | IMM8;
    default:
      return opcode < 0 ? UNKNOWN : MODRM;
  }
}

/** Bytes of the modrm byte at `at`, its SIB byte and its displacement. */
function operandLength(text: Uint8Array, at: number): number {
  const modrm = text[at];
  const mod = modrm >> 6;
  const rm = modrm & 7;
  if (mod === 3) return 1;
  const hasSib = rm === 4;
  const base = hasSib ? text[at + 1] & 7 : rm;
  const displacement = mod === 1 ? 1 : mod === 2 || base === 5 ? 4 : 0;
  return 1 + (hasSib ? 1 : 0) + displacement;
}

function immediateLength(shape: number, isWord: boolean): number {
  let length = 0;
  if ((shape & IMM8) !== 0) length += 1;
  if ((shape & IMM16) !== 0) length += 2;
  if ((shape & IMM32) !== 0) length += isWord ? 2 : 4;
  if ((shape & IMM64) !== 0) length += 8;
  if ((shape & REL32) !== 0) length += 4;
  return length;
}

function readI32(text: Uint8Array, at: number): number {
  return new DataView(text.buffer, text.byteOffset + at, 4).getInt32(0, true);
}
