import { U64, wrapInteger } from './c-type.ts';
import { PrintFmtError } from './errors.ts';
import {
  type BytesEvaluator,
  bytesOf,
  type Evaluator,
  type NumberEvaluator,
  numberOf,
} from './evaluator.ts';
import { formatText } from './integer-format.ts';
import {
  formatBitList,
  formatBitmap,
  formatIp4,
  formatIp6,
  formatMac,
  formatSocketAddress,
  formatUuid,
  hexBytes,
} from './pointer-formats.ts';
import type { LayoutReader, Piece } from './printf-piece.ts';
import type { RawRecord } from './raw-record.ts';

/** The kernel prints no more bytes of a `%*ph`. */
const MOST_HEX_BYTES = 64;

/**
 * `%p` and its extensions. Those that look at what the pointer points to need it in the raw data:
 * an array there.
 */
export function compilePointer(
  extension: string,
  layout: LayoutReader,
  arg: Evaluator,
  longSize: number,
): Piece {
  switch (extension[0]) {
    case 'S':
    case 'B':
    case 'F':
      return symbol(numberOf(arg, '%pS'), true);
    case 's':
    case 'f':
      return symbol(numberOf(arg, '%ps'), false);
    case 'b':
      return bitmap(extension === 'bl', layout, bytesOf(arg, '%pb'), longSize);
    case 'h':
      return hex(extension, layout, bytesOf(arg, '%ph'));
    case 'M':
    case 'm':
      return fromBytes(bytesOf(arg, '%pM'), (bytes) =>
        bytes.length < 6 ? 'INVALIDMAC' : formatMac(bytes, extension),
      );
    case 'U':
      return fromBytes(bytesOf(arg, '%pU'), (bytes) =>
        bytes.length < 16 ? 'INVALIDUUID' : formatUuid(bytes, extension),
      );
    case 'I':
    case 'i':
      return internetAddress(extension, bytesOf(arg, '%pI'));
    case undefined:
    case 'x':
    case 'K':
      return address(numberOf(arg, '%p'), layout);
    default:
      throw new PrintFmtError(`conversion '%p${extension}'`);
  }
}

/** A pointer as glibc, and with it perf, prints it: the kernel hashes plain pointers when it prints. */
function address({ read }: NumberEvaluator, layout: LayoutReader): Piece {
  return (record) => {
    const value = wrapInteger(read(record), U64);
    return formatText(value === 0n ? '(nil)' : `0x${value.toString(16)}`, layout(record));
  };
}

function symbol({ read }: NumberEvaluator, withOffset: boolean): Piece {
  return (record, names) => {
    const value = wrapInteger(read(record), U64);
    const found = names.symbol(value);
    if (found === null) return `0x${value.toString(16)}`;
    return withOffset ? `${found.name}+0x${found.offset.toString(16)}` : found.name;
  };
}

function fromBytes(
  { at, length }: BytesEvaluator,
  format: (bytes: Uint8Array, record: RawRecord) => string,
): Piece {
  return (record) => format(record.bytes(at(record), length(record)), record);
}

/** The width is the number of bits. */
function bitmap(
  isList: boolean,
  layout: LayoutReader,
  array: BytesEvaluator,
  longSize: number,
): Piece {
  const format = isList ? formatBitList : formatBitmap;
  return fromBytes(array, (bytes, record) => {
    const bits = Math.min(Math.max(layout(record).width, 0), bytes.length * 8);
    return format(bytes, bits, longSize, record.littleEndian);
  });
}

/** The width is the number of bytes; `C`, `D`, `N` state what stands between them. */
function hex(extension: string, layout: LayoutReader, array: BytesEvaluator): Piece {
  const separator = { C: ':', D: '-', N: '' }[extension[1] ?? ''] ?? ' ';
  return fromBytes(array, (bytes, record) => {
    const { width } = layout(record);
    const shown = Math.min(width < 0 ? 1 : width, MOST_HEX_BYTES);
    return hexBytes(bytes.subarray(0, shown), separator);
  });
}

function internetAddress(extension: string, array: BytesEvaluator): Piece {
  switch (extension[1]) {
    case '4':
      return fromBytes(array, (bytes) =>
        bytes.length < 4 ? 'INVALIDIPv4' : formatIp4(bytes, extension.startsWith('i')),
      );
    case '6':
      return fromBytes(array, (bytes) =>
        bytes.length < 16 ? 'INVALIDIPv6' : formatIp6(bytes, extension),
      );
    case 'S':
      return fromBytes(array, (bytes, record) =>
        formatSocketAddress(bytes, extension.slice(2), record.littleEndian),
      );
    default:
      throw new PrintFmtError(`conversion '%p${extension}'`);
  }
}
