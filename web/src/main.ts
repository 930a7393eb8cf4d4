import type { FlameGraphData } from '../../src/export/flame-graph-data.ts';
import { element } from './dom.ts';
import { renderHeader } from './header.ts';
import { createPage } from './page.ts';
import { createShell } from './shell.ts';
import { createStore } from './store.ts';
import './style.css';
import './shell.css';

const block = document.getElementById('flame-graph-data');
if (block?.textContent) {
  const data = JSON.parse(block.textContent) as FlameGraphData;
  const root = element('div');
  let isDrawn = false;
  createShell(document, {
    store: createStore(window),
    header: renderHeader(data),
    controls: [],
    tabs: [
      {
        id: 'flame',
        label: 'Flame graph',
        create: () => ({
          root,
          show() {
            if (!isDrawn) createPage(data, root);
            isDrawn = true;
          },
        }),
      },
    ],
  });
} else {
  document.body.append(element('p', 'notes', 'This page holds no profile.'));
}
