import { createHash } from 'node:crypto';
import { Window } from 'happy-dom';
import { describe, expect, test } from 'vitest';
import { printable } from '../../../src/base/printable.ts';
import { renderHtml } from '../../../src/formats/export/html.ts';
import type { PageSetup } from '../../../src/formats/export/page-profile.ts';
import { HOSTILE_NAMES } from '../../helpers/hostile-names.ts';

const assets = {
  script: 'run("</script>", "<!--");',
  style: 'p { color: red }',
  worker: 'postMessage("</script>")',
};

const hashText = (text: string) => createHash('sha256').update(text).digest('base64');

describe('the page that is a file', () => {
  test('the policy of an exported page allows only its own script and style', () => {
    const html = renderHtml([{ title: 'app', data: 'H4sI', report: 'H4sR' }], assets, hashText);
    const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(html) ?? [];
    expect(script).toBe('run("<\\/script>", "<\\!--");');
    expect(html).toContain("default-src 'none'");
    expect(html).toContain(`script-src 'sha256-${hashText(script)}';`);
    expect(html).toContain(`style-src 'sha256-${hashText(assets.style)}';`);
    expect(html).not.toContain('unsafe');
  });

  test('the page that is a file holds the recordings and the worker as data', () => {
    const { document } = new Window();
    document.write(
      renderHtml(
        [
          { title: 'a', data: 'H4sI', report: 'H4sR' },
          { title: 'b', data: 'H4sJ', report: 'H4sR' },
        ],
        assets,
        hashText,
      ),
    );
    const textOf = (id: string) => document.getElementById(id)?.textContent ?? '';
    const setup = JSON.parse(textOf('page-setup')) as PageSetup;
    expect(setup.live).toBe(null);
    expect(
      setup.files.map(({ title, data }) => [title, data.kind === 'element' && textOf(data.id)]),
    ).toStrictEqual([
      ['a', 'H4sI'],
      ['b', 'H4sJ'],
    ]);
    expect(textOf('page-worker')).toBe('postMessage("<\\/script>")');
  });

  test('titles of every kind stay text, and come out of the data block as they went in', () => {
    for (const title of HOSTILE_NAMES.filter((name) => printable(name) === name)) {
      const { document } = new Window();
      document.write(renderHtml([{ title, data: 'H4sI', report: 'H4sR' }], assets, hashText));
      const tags = [...document.querySelectorAll('*')].map((element) => element.tagName);
      expect(tags.join(' ')).toBe(
        'HTML HEAD META META META META TITLE LINK STYLE BODY NOSCRIPT SCRIPT SCRIPT SCRIPT SCRIPT SCRIPT',
      );
      const setup = JSON.parse(document.getElementById('page-setup')?.textContent ?? '');
      expect(setup.files[0].title).toBe(title);
    }
  });

  test('the same profile gives the same bytes', () => {
    const page = () =>
      renderHtml([{ title: 'app', data: 'H4sI', report: 'H4sR' }], assets, hashText);
    expect(page()).toBe(page());
  });
});
