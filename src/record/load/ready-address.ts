import { OptionError } from '../../options/option-error.ts';
import { RECORD } from '../../options/record.ts';

/** The address at which a server answers once it is ready: a TCP port, or a URL that is asked for. */
export type ReadyAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'http'; readonly url: string };

const HIGHEST_PORT = 65_535;

/** `3000`, `:3000`, `host:3000`, `[::1]:3000`, `tcp://host:3000`, `http://host:3000/path`, `https://…`. */
export function parseReadyAddress(text: string): ReadyAddress {
  if (/^https?:\/\//.test(text)) {
    if (!URL.canParse(text)) throw refusal(text);
    return { kind: 'http', url: text };
  }
  const match = /^(?:tcp:\/\/)?(?:(\[[0-9a-fA-F:.]+\]|[^:/[\]]*):)?(\d{1,5})\/?$/.exec(text);
  const port = Number(match?.[2] ?? 0);
  if (port < 1 || port > HIGHEST_PORT) throw refusal(text);
  const host = match?.[1]?.replace(/^\[|\]$/g, '') ?? '';
  return { kind: 'tcp', host: host === '' ? 'localhost' : host, port };
}

function refusal(text: string): OptionError {
  return new OptionError(RECORD.ready, 'expected a URL (http://localhost:3000/) or a port (3000)', {
    given: text,
  });
}
