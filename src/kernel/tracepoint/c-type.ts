import { PrintFmtError } from './errors.ts';

/**
 * An integer or pointer type of the recorded machine. Structs and other types of unknown width are
 * null where a `CType` is asked for.
 */
export type CType = {
  readonly bits: 8 | 16 | 32 | 64;
  readonly signed: boolean;
  /** The type that a pointer points to; absent for integers. `void` and structs count as bytes. */
  readonly target?: CType;
};

export const S32: CType = { bits: 32, signed: true };
const U32: CType = { bits: 32, signed: false };
const S64: CType = { bits: 64, signed: true };
export const U64: CType = { bits: 64, signed: false };
export const U8: CType = { bits: 8, signed: false };
const S8: CType = { bits: 8, signed: true };
const S16: CType = { bits: 16, signed: true };
const U16: CType = { bits: 16, signed: false };

/** Types of one word whose width is the same on every machine. */
const FIXED: ReadonlyMap<string, CType> = new Map([
  ['bool', U8],
  ['_Bool', U8],
  ['u8', U8],
  ['__u8', U8],
  ['uint8_t', U8],
  ['s8', S8],
  ['__s8', S8],
  ['int8_t', S8],
  ['u16', U16],
  ['__u16', U16],
  ['__le16', U16],
  ['__be16', U16],
  ['uint16_t', U16],
  ['umode_t', U16],
  ['s16', S16],
  ['__s16', S16],
  ['int16_t', S16],
  ['u32', U32],
  ['__u32', U32],
  ['__le32', U32],
  ['__be32', U32],
  ['uint32_t', U32],
  ['uint', U32],
  ['dev_t', U32],
  ['uid_t', U32],
  ['gid_t', U32],
  ['gfp_t', U32],
  ['s32', S32],
  ['__s32', S32],
  ['int32_t', S32],
  ['pid_t', S32],
  ['u64', U64],
  ['__u64', U64],
  ['__le64', U64],
  ['__be64', U64],
  ['uint64_t', U64],
  ['sector_t', U64],
  ['s64', S64],
  ['__s64', S64],
  ['int64_t', S64],
  ['loff_t', S64],
  ['ktime_t', S64],
]);

/** Types as wide as `long`, and whether they are signed. */
const LONG_WIDE: ReadonlyMap<string, boolean> = new Map([
  ['size_t', false],
  ['ssize_t', true],
  ['uintptr_t', false],
  ['pgoff_t', false],
  ['ulong', false],
  ['ino_t', false],
]);

const SPECIFIERS = new Set(['unsigned', 'signed', 'long', 'short', 'int', 'char']);
const QUALIFIERS = new Set(['const', 'volatile', '__user', '__kernel', '__iomem', '__rcu']);

/** `long` of the recorded machine. */
export function longType(longSize: number, signed: boolean): CType {
  if (longSize === 4) return signed ? S32 : U32;
  return signed ? S64 : U64;
}

function pointerTo(target: CType | null, longSize: number): CType {
  return { ...longType(longSize, false), target: target ?? U8 };
}

/** Whether `word` can begin the name of a type, by its spelling. */
export function isTypeWord(word: string): boolean {
  return (
    SPECIFIERS.has(word) ||
    QUALIFIERS.has(word) ||
    FIXED.has(word) ||
    LONG_WIDE.has(word) ||
    /^(struct|union|enum|void)$/.test(word) ||
    /_t$/.test(word)
  );
}

/**
 * The type called `text`, as in `unsigned long`, `enum zone_type`, `const char *`; null if its width
 * is not known. An enum is an unsigned int, as GCC has it where no member is negative.
 */
export function typeOf(text: string, longSize: number): CType | null {
  const stars = text.split('*').length - 1;
  const words = text
    .replaceAll('*', ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !QUALIFIERS.has(word));
  let type = typeOfWords(words, longSize);
  for (let i = 0; i < stars; i++) type = pointerTo(type, longSize);
  return type;
}

function typeOfWords(words: readonly string[], longSize: number): CType | null {
  const first = words[0] ?? '';
  if (words.every((word) => SPECIFIERS.has(word)) && words.length > 0) {
    const signed = !words.includes('unsigned');
    if (words.includes('char')) return signed ? S8 : U8;
    if (words.includes('short')) return signed ? S16 : U16;
    const longs = words.filter((word) => word === 'long').length;
    if (longs >= 2) return signed ? S64 : U64;
    if (longs === 1) return longType(longSize, signed);
    return signed ? S32 : U32;
  }
  if (first === 'enum') return U32;
  if (words.length !== 1) return null;
  const wide = LONG_WIDE.get(first);
  if (wide !== undefined) return longType(longSize, wide);
  return FIXED.get(first) ?? null;
}

/** Integer promotion: what is narrower than int becomes int. */
export function promoted(type: CType): CType {
  return type.bits < 32 ? S32 : type;
}

/** The usual arithmetic conversions. */
export function commonType(a: CType, b: CType): CType {
  const left = promoted(a);
  const right = promoted(b);
  if (left.bits !== right.bits) return withoutTarget(left.bits > right.bits ? left : right);
  return withoutTarget(left.signed ? right : left);
}

function withoutTarget(type: CType): CType {
  return type.target === undefined ? type : { bits: type.bits, signed: type.signed };
}

/** `value` as the type holds it. */
export function wrapInteger(value: bigint, type: CType): bigint {
  return type.signed ? BigInt.asIntN(type.bits, value) : BigInt.asUintN(type.bits, value);
}

/** The integer constant `0x1fUL`: its value and, by its size and suffix, its type. */
export function parseIntegerConstant(
  text: string,
  longSize: number,
): { readonly value: bigint; readonly type: CType } {
  const [, digits, suffix] = /^(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)$/.exec(text) ?? [];
  if (digits === undefined) throw new PrintFmtError(`number '${text}'`);
  const isDecimal = !/^0./.test(digits);
  const octal = /^0[0-7]+$/.test(digits);
  const value = BigInt(octal ? `0o${digits.slice(1)}` : digits);
  const unsigned = /u/i.test(suffix ?? '');
  const longs = (suffix ?? '').replace(/u/gi, '').length;
  const least = longs === 0 ? 32 : longs === 1 ? longSize * 8 : 64;
  for (const type of [S32, U32, S64, U64]) {
    if (type.bits < least || (unsigned && type.signed)) continue;
    if (isDecimal && !unsigned && !type.signed && type.bits === 32) continue;
    if (wrapInteger(value, type) === value) return { value, type };
  }
  return { value: wrapInteger(value, U64), type: U64 };
}
