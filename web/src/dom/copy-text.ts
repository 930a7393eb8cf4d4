import { element } from './dom.ts';

/** Milliseconds that a notice stays. */
const NOTICE_MS = 2000;

/** Puts a text where the person can paste it from, and tells whether it did; `what` names the text. */
export async function copyText(text: string, what: string): Promise<void> {
  const isCopied = (await writeClipboard(text)) || copySelected(text);
  notify(isCopied ? `Copied ${what}.` : `The browser does not let the page copy ${what}.`);
}

/** False where the browser has no such clipboard, or does not let the page write to it. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Copies as before there was a clipboard of its own: pages from files have none. */
function copySelected(text: string): boolean {
  const area = element('textarea', 'spoken');
  area.value = text;
  const before = document.activeElement;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}

/** A short message in a corner, which is read aloud and goes by itself. */
function notify(text: string): void {
  document.querySelector('.notice')?.remove();
  const notice = element('output', 'notice', text);
  document.body.append(notice);
  setTimeout(() => notice.remove(), NOTICE_MS);
}
