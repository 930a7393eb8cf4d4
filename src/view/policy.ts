/**
 * Headers of every answer. The page's policy admits its own script, style and worker and nothing
 * from anywhere else; text never becomes code (Trusted Types), so a name that looks like markup stays
 * a name even if the page had a mistake.
 */
const COMMON = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  // A recording may be opened again under the same address with other contents.
  'Cache-Control': 'no-store',
} as const;

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types perf-ts',
].join('; ');

/**
 * Speedscope is not ours: it makes its styles at run time and has WebAssembly, for recordings of Java.
 * Its script is the one of its package, and it may ask this server only.
 */
const SPEEDSCOPE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Nothing that is a file to be saved or data to be read is a page. */
const DATA_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'";

export function pageHeaders(): Record<string, string> {
  return { ...COMMON, 'Content-Security-Policy': PAGE_POLICY };
}

export function dataHeaders(): Record<string, string> {
  return { ...COMMON, 'Content-Security-Policy': DATA_POLICY };
}

export function speedscopeHeaders(): Record<string, string> {
  return { ...COMMON, 'Content-Security-Policy': SPEEDSCOPE_POLICY };
}
