import { describe, expect, it } from 'vitest';
import { printable } from '../../src/base/printable.ts';
import { renderPageDocument } from '../../src/view/answers.ts';
import { describeFile } from '../../src/view/served-file.ts';
import { HOSTILE_NAMES } from '../helpers/hostile-names.ts';

/** Node decodes names of files from UTF-8, which has no lone surrogates. */
const NAMES = HOSTILE_NAMES.filter((name) => !/\p{Surrogate}/u.test(name));

describe('a recording of any name', () => {
  it.each(NAMES.map((name) => [printable(name.slice(0, 60)), name]))(
    'the recording is found by the page: %s',
    (_, name) => {
      const setup = {
        schema: 'perf-ts/page-setup@1',
        files: [describeFile(name, 0)],
        firstBefore: 1,
        live: null,
        open: null,
        view: '',
      } as const;
      const page = renderPageDocument(setup);
      // One data block, ended by its own tag, and the page's script.
      expect(page.match(/<script/g)).toHaveLength(2);
      expect(page.match(/<\/script/g)).toHaveLength(2);
      expect(page).not.toMatch(/<(?:img|svg|!--)/);
      const block = /id="page-setup">([^<]*)<\/script>/.exec(page)?.[1] as string;
      expect(JSON.parse(block)).toStrictEqual(JSON.parse(JSON.stringify(setup)));
      expect(setup.files[0].title).toBe(printable(name));
    },
  );

  it('the name is not shown in another order, nor as a command of the terminal', () => {
    const { title, links } = describeFile('\u061ctxt.\u202eexe\x1b[2J', 0);
    expect(title).toBe('\\u061ctxt.\\u202eexe\\x1b[2J');
    expect(links.speedscope).toContain(encodeURIComponent(title));
  });
});
