import type { PageSetup } from '../formats/export/page-profile.ts';

/** The page of the server: nothing but where its parts are. */
export function renderPageDocument(setup: PageSetup): string {
  // In a data block nothing is executed; a `<` could end it.
  const json = JSON.stringify(setup).replaceAll('<', '\\u003c');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<title>perf-ts</title>',
    '<link rel="icon" href="data:,">',
    '<link rel="stylesheet" href="page.css">',
    '</head>',
    '<body>',
    '<noscript>This page draws the profile with a script of perf-ts.</noscript>',
    `<script type="application/json" id="page-setup">${json}</script>`,
    '<script src="page.js"></script>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
