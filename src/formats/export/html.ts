import { printable } from '../../base/printable.ts';
import type { PageSetup } from './page-profile.ts';

/** The built page: what `web/` makes. */
export type PageAssets = {
  /** A classic script, run at the end of the body. */
  readonly script: string;
  readonly style: string;
  /** The script of the page's worker. */
  readonly worker: string;
};

/** The SHA-256 of a text in UTF-8, in base64. */
export type HashText = (text: string) => string;

/** A recording for the page; its parts but the title are compressed with gzip, in base64. */
export type HtmlFile = {
  readonly title: string;
  /** `encodePageData`. */
  readonly data: string;
  /** `encodePageReport`. */
  readonly report: string;
  /** JSON of an object with texts of source files by row of the profile's strings. */
  readonly sources?: string;
};

/**
 * One file that shows the profiles wherever it is opened, at first as the state `view` (the hash of a page's
 * address): the page of the server, with everything that it would fetch inside. It loads nothing: the policy allows
 * the one script and the one style sheet inside of it by their hashes and a worker that the script makes from its own
 * text, and forbids everything else, network and markup made from text (Trusted Types) included. Names from the
 * recording are in the compressed data; titles are JSON in a data block, in which a `<` is written as an escape, so
 * that none of them can end it.
 */
export function renderHtml(
  files: readonly HtmlFile[],
  assets: PageAssets,
  hashText: HashText,
  { view = '', firstBefore = 1 }: { readonly view?: string; readonly firstBefore?: number } = {},
): string {
  const setup: PageSetup = {
    schema: 'perf-ts/page-setup@1',
    files: files.map(({ title, sources }, index) => ({
      title: printable(title),
      data: { kind: 'element', id: `page-data-${index}` },
      report: { kind: 'element', id: `page-report-${index}` },
      ...(sources !== undefined && {
        sources: { kind: 'element', id: `page-sources-${index}` } as const,
      }),
      links: {},
    })),
    firstBefore,
    live: null,
    open: null,
    view,
  };
  const script = asScriptText(assets.script);
  const style = asStyleText(assets.style);
  // Browsers hash the text after the parser has made every line end LF.
  const sourceOf = (text: string) => `'sha256-${hashText(text.replace(/\r\n?/g, '\n'))}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${sourceOf(script)}`,
    `style-src ${sourceOf(style)}`,
    'worker-src blob:',
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types perf-ts',
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeText(setup.files[0]?.title ?? 'perf-ts')}</title>`,
    '<link rel="icon" href="data:,">',
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<noscript>This page draws the profile with the script inside it.</noscript>',
    `<script type="application/json" id="page-setup">${asJsonText(setup)}</script>`,
    ...files.flatMap(({ data, report, sources }, index) => [
      dataBlock(`page-data-${index}`, data),
      dataBlock(`page-report-${index}`, report),
      ...(sources === undefined ? [] : [dataBlock(`page-sources-${index}`, sources)]),
    ]),
    `<script type="text/plain" id="page-worker">${asScriptText(assets.worker)}</script>`,
    `<script>${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** `base64`: gzip in base64, which holds no markup. */
function dataBlock(id: string, base64: string): string {
  return `<script type="application/octet-stream" id="${id}">${base64}</script>`;
}

/** JSON that stays inside of a script element: no `</script`, no `<!--`. */
function asJsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/**
 * Escapes `</script`: in strings and regular expressions, its only possible places, `<\/script`
 * means the same.
 */
function asScriptText(script: string): string {
  return script.replace(/<\/(?=script)/gi, '<\\/').replaceAll('<!--', '<\\!--');
}

function asStyleText(style: string): string {
  return style.replace(/<\/(?=style)/gi, '<\\/');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
