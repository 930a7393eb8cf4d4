// What the page is given: its data, its report, its address, what is typed; and what it then shows.

import { encodePageData } from '../../../src/formats/export/page-data.ts';
import { decodePageReport } from '../../../src/formats/export/page-report.ts';
import { renderPageDocument } from '../../../src/view/answers.ts';
import { selectionOf } from '../../../web/src/state/selection.ts';
import { decodeState, encodeState } from '../../../web/src/state/state.ts';
import { decodeOpenRows } from '../../../web/src/tables/open-rows.ts';
import { parseQuery } from '../../../web/src/worker/recording/query.ts';
import { createAnswers } from '../../helpers/page-answers.ts';
import { pageOf } from '../../helpers/page-of.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';
import { WHOLE_TREE } from '../../helpers/selections.ts';
import { below, mutateBytes, pick, type Random } from '../mutate-bytes.ts';
import { mutateText } from '../mutate-text.ts';
import { type Target, toBytes, toText } from '../target.ts';

const drawn = () =>
  pageOf(
    profileFromText(`
      tid     1     1     1     2                       2
      comm    app   app   app   job                     job
      period  4     3     2     1                       8
              main  main  main  main                    main
              work  work  idle  work                    work
              leaf              read@[kernel.kallsyms]  leaf
    `),
  );

/** The page's own worker says of such errors what they are: any will do, but none may take for ever. */
function answered(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Error) || /out of memory|allocation failed/i.test(error.message)) {
      throw error;
    }
  }
}

const STATE =
  'tab=time&event=0&weight=period&thread=1&pid=2&cpu=0&range=5-900&roots=thread&tree=callers&sort=name' +
  '&zoom=1.2&search=%2Fma.n%2F&focus=1&hidden=1.2&mergedFuncs=0&foldRecursion=1&func=2&tableBy=dso' +
  '&treeOpen=12-5-7_.9_&heatColumnNs=1000000&heatRows=50';

/** The requests that a page with this address sends. */
function ask(hash: string, random: Random): void {
  const state = decodeState(hash);
  decodeState(encodeState(state));
  decodeOpenRows(state.treeOpen);
  const answers = createAnswers();
  answers.open({ slot: 0, side: 'here', bytes: encodePageData(drawn()) });
  const selection = selectionOf(state);
  const tree = {
    ...WHOLE_TREE,
    ...selection,
    roots: state.roots,
    inverted: state.tree === 'callers',
    order: state.sort,
    zoom: state.zoom,
    // A person's own expression may take as long as it likes; here only that it is understood.
    search: random() < 0.5 ? '' : state.search.slice(0, 20),
  };
  answered(() => answers.tree(tree));
  answered(() => answers.search(tree));
  answered(() => answers.sandwich({ ...selection, func: state.func ?? 0, search: '' } as never));
  answered(() => answers.source({ ...selection, func: state.func ?? 0 } as never));
}

export const pageTargets: readonly Target[] = [
  {
    name: 'page-data',
    seeds: () => [encodePageData(drawn())],
    mutate(all, random) {
      const [seed] = all as [Uint8Array];
      const headBytes = new DataView(seed.buffer, seed.byteOffset).getUint32(8, true);
      if (random() < 0.4) return mutateBytes(seed, seed, random);
      // The head stays JSON as often as not: its length is put right.
      const head = mutateText(toText(seed.subarray(12, 12 + headBytes)), STATE, random);
      const bytes = toBytes(head);
      const whole = new Uint8Array(12 + bytes.length + seed.length - 12 - headBytes);
      whole.set(seed.subarray(0, 12));
      new DataView(whole.buffer).setUint32(8, bytes.length, true);
      whole.set(bytes, 12);
      whole.set(seed.subarray(12 + headBytes), 12 + bytes.length);
      return whole;
    },
    // What tables hold is as good as what made them: they come with the page's own script.
    read(bytes) {
      const answers = createAnswers();
      answered(() => answers.open({ slot: 0, side: 'here', bytes }));
      answered(() => decodePageReport(toText(bytes.subarray(12))));
    },
  },
  {
    name: 'page-address',
    seeds: () => [toBytes(STATE), toBytes('search=%2F(a%2B)%2B%24%2F&tab=diff')],
    mutate: (all, random) =>
      toBytes(mutateText(toText(pick(random, all)), toText(pick(random, all)), random)),
    read: (bytes, random) => ask(toText(bytes), random),
  },
  {
    name: 'page-document',
    seeds: () =>
      ['perf.data', '</script><img src=x onerror=alert(1)>', '<!--<script>'].map(toBytes),
    mutate: (all, random) =>
      toBytes(mutateText(toText(pick(random, all)), toText(pick(random, all)), random)),
    read(bytes, random) {
      const title = toText(bytes);
      const place = { kind: 'url', url: 'profile/0' } as const;
      const files = Array.from({ length: 1 + below(random, 2) }, () => ({
        title,
        data: place,
        report: place,
        links: { downloads: [{ label: title, url: title }] },
      }));
      const text = renderPageDocument({
        schema: 'perf-ts/page-setup@1',
        files,
        firstBefore: 1,
        live: null,
        open: null,
        view: '',
      });
      const block = /<script[^>]*id="page-setup"[^>]*>([\s\S]*?)<\/script>/.exec(text);
      const setup = JSON.parse(block?.[1] ?? '') as { files: { title: string }[] };
      if (setup.files[0]?.title !== title) throw new Error('the title came out as another');
      const tags = text.replace(block?.[0] ?? '', '').match(/<[a-z!/][^>]*>/gi) ?? [];
      if (tags.some((tag) => /onerror|<img|<svg/i.test(tag))) throw new Error(`markup: ${tags}`);
    },
  },
  {
    name: 'search',
    seeds: () => ['main', '/ma.n/', '/[/', '/(?<x>a)\\k<x>/'].map(toBytes),
    mutate: (all, random) =>
      toBytes(mutateText(toText(pick(random, all)), toText(pick(random, all)), random)),
    read: (bytes) => void parseQuery(toText(bytes))?.matches('main'),
  },
];
