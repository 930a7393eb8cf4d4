import type { PageSetup } from '../../../src/formats/export/page-profile.ts';
import { element } from '../dom.ts';
import { createLateReport } from '../late-report.ts';
import { shiftKeys, showGrowth } from '../live.ts';
import { loadPageData, loadPageReport, readSetup, startWorker } from '../setup.ts';
import { type AskWorker, createClient } from '../worker-client.ts';
import { createProfilePage } from './profile-page.ts';
import 'uplot/dist/uPlot.min.css';
import '../style.css';
import '../shell.css';
import '../page-head.css';
import '../time/time.css';

const setup = readSetup(document);
if (setup !== null) {
  void openProfile(setup);
} else {
  document.body.append(element('p', 'notes', 'This page holds no profile.'));
}

/** Fetches the first recording and builds the page; what fails is said in its place. */
async function openProfile(setup: PageSetup): Promise<void> {
  const { files } = setup;
  const [file, other = null] = files;
  const state = element('p', 'empty', 'Reading the profile …');
  state.setAttribute('role', 'status');
  // Until there is a page, this is what it says.
  const reading = element('main', '', element('h1', '', 'perf-ts'), state);
  document.body.append(reading);
  try {
    if (file === undefined) throw new Error('This page holds no profile.');
    const ask = createClient(startWorker(document));
    const bytes = await loadPageData(document, file);
    const recording = await ask('open', { slot: 0, bytes });
    reading.remove();
    shiftKeys(window, setup, recording.funcCount);
    const first = tellFirstAnswer(ask);
    const report = createLateReport(first.drawn.then(() => loadPageReport(document, file)));
    const page = createProfilePage(document, first.ask, recording, report, file, other);
    showGrowth(document, setup, page);
  } catch (error) {
    state.className = 'notes';
    state.textContent = error instanceof Error ? error.message : String(error);
    // Also where the page was there already.
    document.body.prepend(state);
  }
}

/** Milliseconds from an answer until it is on the screen, more or less. */
const DRAWING_MS = 50;

/** `drawn` settles when the first answer was drawn: what nobody waits for is loaded then. */
function tellFirstAnswer(ask: AskWorker): {
  readonly ask: AskWorker;
  readonly drawn: Promise<void>;
} {
  let tell = (): void => {};
  const drawn = new Promise<void>((resolve) => {
    tell = () => setTimeout(resolve, DRAWING_MS);
  });
  return {
    drawn,
    ask(kind, params, signal) {
      const answer = ask(kind, params, signal);
      answer.then(tell, tell);
      return answer;
    },
  };
}
