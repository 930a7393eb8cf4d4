const decoder = new TextDecoder();

/** UTF-8 up to the first NUL or the end; what is not UTF-8 becomes U+FFFD, nothing throws. */
export function decodeText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
}
