import type { PageFile } from '../../../src/formats/export/page-profile.ts';
import { copyText } from '../dom/copy-text.ts';
import { element, pushButton } from '../dom/dom.ts';
import { popoverButton } from '../dom/popover.ts';
import { selectedPart } from '../state/selection.ts';
import type { ViewContext } from '../state/view-context.ts';

/** The page's address, this view as one file, the recording in other tools, and files to save. */
export function createShareMenu(context: ViewContext): HTMLElement {
  const list = element('div', 'menu-list');
  const menu = popoverButton('Share ▾', 'Share and save', list);
  menu.body.addEventListener('beforetoggle', () => {
    list.replaceChildren(...renderItems(context, () => menu.close()));
  });
  return menu.root;
}

/** Items for what is shown now, as what they lead to depends on it. */
function renderItems(context: ViewContext, close: () => void): Node[] {
  const { file, store } = context;
  const copy = pushButton('', 'Copy the address of this view', () => {
    void copyText(window.location.href, 'the address');
    close();
  });
  const { speedscope, page } = file.links;
  const part = selectedPart(store.get(), context.recording);
  return [
    copy,
    ...(page === undefined ? [] : [saveLink('This view as one HTML file', pageAddress(page))]),
    ...(speedscope === undefined ? [] : [otherTool('Open in speedscope', speedscope)]),
    ...renderDownloads(file, 'Save for', ''),
    ...(part.size === 0 ? [] : renderDownloads(file, 'Save only what is shown for', `?${part}`)),
  ];
}

function pageAddress(page: string): string {
  const address = new URL(page, document.baseURI);
  address.searchParams.set('view', window.location.hash.replace(/^#/, ''));
  return address.href;
}

function renderDownloads({ links }: PageFile, title: string, query: string): Node[] {
  const { downloads = [] } = links;
  if (downloads.length === 0) return [];
  const row = element('p', 'menu-downloads', `${title} `);
  downloads.forEach(({ label, url }, index) => {
    if (index > 0) row.append(', ');
    row.append(saveLink(label, `${url}${query}`));
  });
  return [row];
}

function otherTool(label: string, address: string): HTMLElement {
  const link = element('a', '', label);
  link.href = address;
  link.target = '_blank';
  return link;
}

function saveLink(label: string, address: string): HTMLElement {
  const link = element('a', '', label);
  link.href = address;
  link.download = '';
  return link;
}
