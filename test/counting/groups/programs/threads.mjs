// Two threads, a group each, and one on the other thread: prints what each counted as JSON.
// argv: the built library.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const { openGroup, threadId } = await import(process.argv[2] ?? workerData.library);

/** Touches each page. */
function touch(memory) {
  for (let at = 0; at < memory.length; at += 4096) memory[at] = 1;
}

if (isMainThread) {
  const group = openGroup(['page-faults:u']);
  const worker = new Worker(new URL(import.meta.url), { workerData: { library: process.argv[2] } });
  const next = () => new Promise((done) => worker.once('message', done));
  const { tid } = await next();
  const other = openGroup({ faults: 'page-faults:u' }, { pid: tid });
  other.enable();
  group.enable();
  worker.postMessage('go');
  const { counted } = await next();
  other.disable();
  group.disable();
  const mine = group.read().counts['page-faults:u'];
  const fromOutside = other.read().counts.faults;
  console.log(JSON.stringify({ counted, fromOutside: `${fromOutside}`, mine: `${mine}` }));
  worker.postMessage('end');
} else {
  const group = openGroup(['page-faults:u']);
  parentPort.postMessage({ tid: threadId() });
  parentPort.on('message', (what) => {
    if (what === 'end') {
      group.close();
      parentPort.close();
      return;
    }
    const bytes = 4000 * 4096;
    const memory = new Uint8Array(new ArrayBuffer(bytes, { maxByteLength: bytes }));
    const { counts } = group.measure(() => touch(memory));
    parentPort.postMessage({ counted: `${counts['page-faults:u']}` });
  });
}
