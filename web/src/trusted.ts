/**
 * The page's policy admits no text as code but through this one, which is asked for addresses of
 * workers only: the page's own script, or a blob that the page has made.
 */
type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): { createScriptURL(address: string): string };
};

let policy: { createScriptURL(address: string): string } | null = null;

/** `address` as what `new Worker` takes under Trusted Types; itself in browsers without them. */
export function trustedScriptUrl(address: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return address;
  policy ??= trustedTypes.createPolicy('perf-ts', { createScriptURL: onlyOwn });
  return policy.createScriptURL(address);
}

function onlyOwn(address: string): string {
  const { protocol, origin } = new URL(address);
  const isBlob = protocol === 'blob:';
  if (isBlob || origin === globalThis.location.origin) return address;
  throw new TypeError(`a worker from ${address}, which is not this page's`);
}
