import { sha256 } from '../base/sha256.ts';
import type { Profile, Weights } from '../profile/types.ts';
import { computeFlameGraphData, type FlameGraphOptions } from './flame-graph-data.ts';

/** The built page: what `web/` makes. */
export type PageAssets = {
  /** A classic script, run at the end of the body. */
  readonly script: string;
  readonly style: string;
};

export type HtmlOptions = FlameGraphOptions & {
  /** Shown in the tab; the recorded command if left out. */
  readonly title?: string;
};

/**
 * One file that shows the flame graph wherever it is opened. It loads nothing: the policy allows
 * the one script and the one style sheet inside of it by their hashes, and forbids everything
 * else, network and markup made from text (Trusted Types) included. Names from the recording are
 * JSON in a data block; a `<` among them is written as an escape, so none of them can end it.
 */
export function renderHtml(
  profile: Profile,
  weights: Weights,
  assets: PageAssets,
  options: HtmlOptions = {},
): string {
  const data = computeFlameGraphData(profile, weights, options);
  const title = options.title ?? (data.recording.command || 'flame graph');
  const script = asScriptText(assets.script);
  const style = asStyleText(assets.style);
  const policy = [
    "default-src 'none'",
    `script-src '${sourceHash(script)}'`,
    `style-src '${sourceHash(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeText(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<noscript>This page draws its flame graph with the script inside it.</noscript>',
    `<script type="application/json" id="flame-graph-data">${asJsonText(data)}</script>`,
    `<script>${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** JSON that stays inside of a script element: no `</script`, no `<!--`. */
function asJsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** In strings and regular expressions, where alone it can stand, `<\/script` means the same. */
function asScriptText(script: string): string {
  return script.replace(/<\/(?=script)/gi, '<\\/').replaceAll('<!--', '<\\!--');
}

function asStyleText(style: string): string {
  return style.replace(/<\/(?=style)/gi, '<\\/');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Source expression of Content Security Policy: the hash of an inline element's text. */
function sourceHash(text: string): string {
  // Browsers hash the text after the parser has made every line end LF.
  const digest = sha256(new TextEncoder().encode(text.replace(/\r\n?/g, '\n')));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}
