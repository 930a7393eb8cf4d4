export type GrowthListener = {
  /** There is more. */
  readonly onGrowth: () => void;
  /** That was all. */
  readonly onEnd: () => void;
  /** Nobody answers any more. */
  readonly onGone: () => void;
};

/**
 * Reports each new state of a live recording, while the tab is seen: what came meanwhile is reported
 * when it is seen again. `address` is `PageSetup.live`, which says with `since` what the page shows.
 */
export function followGrowth(page: Document, address: string, listener: GrowthListener): void {
  const url = new URL(address, page.baseURI);
  let source: EventSource | null = null;
  const pause = () => {
    source?.close();
    source = null;
  };
  const stop = () => {
    pause();
    page.removeEventListener('visibilitychange', follow);
  };
  function follow(): void {
    pause();
    if (page.hidden) return;
    source = new EventSource(url);
    source.addEventListener('profile', ({ data }: MessageEvent<string>) => {
      url.searchParams.set('since', data);
      listener.onGrowth();
    });
    source.addEventListener('end', () => {
      stop();
      listener.onEnd();
    });
    // The server of this page is on this machine and starts only once.
    source.addEventListener('error', () => {
      stop();
      listener.onGone();
    });
  }
  page.addEventListener('visibilitychange', follow);
  follow();
}
