// node bench/page/answers.mjs FILE [OTHER]
//
// How long the page's worker takes for each request, in Node: page data of a recording (fetched from
// `view`, or a file named *.page), asked as a person would. Each run is a process of its own, since
// a page's code is as little compiled as that. The median of three. What is computed in slices makes
// way for whatever is asked meanwhile, so the longest of them is what a click waits for it at most.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { median, servePage } from '../measure.mjs';
import { importBundled } from './bundle.mjs';
import { walkThrough } from './session.mjs';

const RUNS = 3;
const [file, otherFile, isChild] = process.argv.slice(2);

if (isChild === undefined) {
  const runs = Array.from({ length: RUNS }, () =>
    JSON.parse(
      execFileSync(
        process.execPath,
        ['--expose-gc', fileURLToPath(import.meta.url), file, otherFile ?? '', 'child'],
        { encoding: 'utf8', maxBuffer: 2 ** 26 },
      ),
    ),
  );
  console.log('| request | ms | longest slice, ms |\n| --- | --- | --- |');
  for (const [index, { what }] of runs[0].times.entries()) {
    const of = (column) => median(runs.map(({ times }) => times[index][column])).toFixed(0);
    console.log(`| ${what} | ${of('ms')} | ${of('longest')} |`);
  }
  for (const { samples, heapMb } of runs)
    console.log(`${samples} samples, ${heapMb} MB at the end`);
} else {
  const { HANDLERS } = await importBundled('web/src/worker/answer.ts');
  const { OpenRecordings } = await importBundled('web/src/worker/open-recordings.ts');
  const recordings = new OpenRecordings();
  const times = [];
  const ask = (what, kind, params) => {
    const start = process.cpuUsage();
    const work = HANDLERS[kind](recordings, params);
    let longest = 0;
    let step;
    do {
      const before = process.cpuUsage();
      step = work.next();
      longest = Math.max(longest, millisecondsSince(before));
    } while (step.done !== true);
    if (what !== null) times.push({ what, ms: millisecondsSince(start), longest });
    return step.value;
  };
  const bytes = await pageData(file);
  const other = otherFile === '' ? null : await pageData(otherFile);
  const opened = ask('open', 'open', { slot: 0, side: 'here', bytes });
  walkThrough(ask, opened, other);
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const samples = opened.events.reduce((sum, event) => sum + event.samples, 0);
  const heapMb = Math.round((heapUsed + arrayBuffers) / 2 ** 20);
  process.stdout.write(JSON.stringify({ times, samples, heapMb }));
}

/** Of CPU time, the compiler's and the collector's threads included: other work does not count. */
function millisecondsSince(start) {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Of a file *.page the bytes; of a recording what `view` would send. */
async function pageData(path) {
  if (path.endsWith('.page')) return new Uint8Array(readFileSync(path));
  const { url, stop } = await servePage(path);
  try {
    return new Uint8Array(await (await fetch(new URL('profile/0', url))).arrayBuffer());
  } finally {
    await stop();
  }
}
