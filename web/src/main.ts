import type { FlameGraphData } from '../../src/export/flame-graph-data.ts';
import { element } from './dom.ts';
import { createPage } from './page.ts';
import './style.css';

const block = document.getElementById('flame-graph-data');
if (block?.textContent) {
  createPage(JSON.parse(block.textContent) as FlameGraphData, document.body);
} else {
  document.body.append(element('p', 'notes', 'This page holds no profile.'));
}
