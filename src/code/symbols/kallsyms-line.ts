const DOLLAR = 0x24;
const LOWER_CASE = 0x20;

/** Whether the line with its type letter at `typeAt` is one that perf takes for a symbol. */
export function isSymbolLine(bytes: Uint8Array, typeAt: number): boolean {
  return isTextOrData(bytes[typeAt]) && bytes[typeAt + 2] !== DOLLAR;
}

/** T, W, D, B in either case: what perf takes for a symbol. */
function isTextOrData(type: number): boolean {
  const lower = type | LOWER_CASE;
  return lower === 0x74 || lower === 0x77 || lower === 0x64 || lower === 0x62;
}
