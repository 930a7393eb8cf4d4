import { messageOf } from '../../../src/base/errors.ts';
import type {
  HeaviestSoFar,
  PageFile,
  PageSetup,
} from '../../../src/formats/export/page-profile.ts';
import { formatShare } from '../ask/format.ts';
import { createLateReport } from '../ask/late-report.ts';
import { LatestRecording } from '../ask/latest-recording.ts';
import { createClient } from '../ask/worker-client.ts';
import { element } from '../dom/dom.ts';
import { LiveFeed } from '../live/live-feed.ts';
import { fitState } from '../live/sliding-window.ts';
import { askProgress, loadPageData, loadPageReport, readSetup, startWorker } from '../setup.ts';
import { createNotebook } from './notebook.ts';
import { createProfilePage } from './profile-page.ts';
import '../style.css';
import '../shell/shell.css';
import '../shell/print.css';
import '../time/time.css';
import '../tracks/tracks.css';

const setup = readSetup(document);
if (setup?.notebook !== undefined && setup.files.length === 0) {
  document.body.append(createNotebook(setup.notebook));
} else if (setup !== null) {
  void openProfile(setup);
} else {
  document.body.append(element('p', 'notes', 'This page holds no profile.'));
}

/** Fetches the first recording and builds the page; what fails is said in its place. */
async function openProfile(setup: PageSetup): Promise<void> {
  const { files } = setup;
  const [file] = files;
  const state = element('p', 'empty', 'Reading the profile …');
  state.setAttribute('role', 'status');
  // Until there is a page, this is what it says.
  const bar = element('progress');
  bar.max = 100;
  bar.setAttribute('aria-label', 'Reading the profile');
  const title = element('h1', '', file?.title ?? 'perf-ts');
  const first = element('section', 'so-far');
  const reading = element('main', 'reading', title, bar, state, first);
  document.body.append(reading);
  const endProgress = file === undefined ? () => {} : followProgress(file, { state, bar, first });
  try {
    if (file === undefined) throw new Error('This page holds no profile.');
    const worker = startWorker(document);
    const ask = createClient(worker);
    const open = async () =>
      ask('open', { slot: 0, side: 'here', bytes: await loadPageData(document, file) });
    const latest = new LatestRecording(await open());
    endProgress();
    reading.remove();
    if (window.location.hash === '' && setup.view !== '') {
      window.history.replaceState(null, '', `#${setup.view}`);
    }
    const drawn = firstAnswerDrawn(worker);
    const report = createLateReport(drawn.then(() => loadPageReport(document, file)));
    const { live } = setup;
    const feed = live === null ? null : new LiveFeed({ page: document, address: live, open });
    const context = createProfilePage(document, ask, latest, report, setup, feed);
    feed?.start((recording) => {
      const changes = fitState(context.store.get(), latest.get(), recording);
      latest.replace(recording);
      context.store.refresh(changes);
      report.expect(loadPageReport(document, file));
    });
  } catch (error) {
    endProgress();
    bar.remove();
    first.remove();
    state.className = 'notes';
    state.textContent = messageOf(error);
    // Also where the page was there already.
    document.body.prepend(state);
  }
}

/** Milliseconds between two looks at how far the server is. */
const PROGRESS_MS = 300;

/**
 * Shows how far the server is in reading a recording and which functions are the heaviest of that, until the function that
 * it returns is called.
 */
function followProgress(
  file: PageFile,
  { state, bar, first }: Record<'state' | 'first', HTMLElement> & { bar: HTMLProgressElement },
): () => void {
  const look = async () => {
    // A server that is gone is reported with the recording.
    const progress = await askProgress(document, file).catch(() => null);
    if (progress === null || progress.words === '' || !bar.isConnected) return;
    const { words, percent, soFar } = progress;
    const reached = percent === null ? '' : ` ${percent}%`;
    state.textContent = `${words[0].toUpperCase()}${words.slice(1)}${reached} …`;
    if (percent === null) bar.removeAttribute('value');
    else bar.value = percent;
    if (soFar !== null) first.replaceChildren(...renderSoFar(soFar));
  };
  const timer = window.setInterval(() => void look(), PROGRESS_MS);
  return () => clearInterval(timer);
}

function renderSoFar({ part, heaviest }: HeaviestSoFar): HTMLElement[] {
  const most = heaviest[0]?.share ?? 1;
  const rows = heaviest.map(({ name, share }) => {
    const shown = element('span', 'so-far-share', formatShare(share));
    shown.style.backgroundSize = `${(100 * share) / most}% 100%`;
    return element('li', '', shown, element('span', 'cut-name', name));
  });
  const heading = `Preliminary: most by itself in the first ${formatShare(part)}`;
  return [element('h2', '', heading), element('ol', '', ...rows)];
}

/** Milliseconds from an answer until it is on the screen, more or less. */
const DRAWING_MS = 50;

/** Resolves when the next answer was drawn: what nobody waits for is loaded then. */
function firstAnswerDrawn(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    const drawn = () => setTimeout(resolve, DRAWING_MS);
    worker.addEventListener('message', drawn, { once: true });
  });
}
