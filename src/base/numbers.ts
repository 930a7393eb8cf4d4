// Numbers as a person reads them. The locale never changes them.

/** `1 234 567`, thin groups of three. */
export function formatCount(value: number): string {
  const rounded = Math.round(value);
  // From 10²¹ on a number would be printed with an exponent.
  const digits = Number.isFinite(rounded) ? BigInt(rounded).toString() : `${rounded}`;
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ' ');
}

/** `12.34%` of a share 0…1. */
export function formatShare(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}

/** `512 B`, `3.2 kB`, `14.7 MB`: decimal units. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** `333 ns`, `33.3 µs`, `3.1 ms`, `12.4 s`. */
export function formatNanos(nanos: number): string {
  if (nanos < 1e3) return `${Math.round(nanos)} ns`;
  if (nanos < 1e6) return `${(nanos / 1e3).toFixed(1)} µs`;
  if (nanos < 1e9) return `${(nanos / 1e6).toFixed(1)} ms`;
  return `${(nanos / 1e9).toFixed(2)} s`;
}
