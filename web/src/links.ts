import type { PageFile } from '../../src/formats/export/page-profile.ts';
import { element } from './dom.ts';
import './links.css';

/** The same recording in other tools: speedscope beside this page, and files to save. */
export function createLinks({ title, links }: PageFile): HTMLElement {
  const bar = element('nav', 'other-tools');
  bar.setAttribute('aria-label', `${title} in other tools`);
  if (links.speedscope !== undefined) {
    const speedscope = element('a', '', 'Open in speedscope');
    speedscope.href = links.speedscope;
    speedscope.target = '_blank';
    bar.append(speedscope);
  }
  const { downloads = [] } = links;
  if (downloads.length > 0) bar.append(element('span', '', 'Save for'));
  for (const { label, url } of downloads) {
    const download = element('a', '', label);
    download.href = url;
    download.download = '';
    bar.append(download);
  }
  return bar;
}
