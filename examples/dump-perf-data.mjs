// Prints every record of a perf.data file in time order, then how many there were of each type: the
// first thing to run on a file that looks wrong.
//   node examples/dump-perf-data.mjs perf.data

import { describeRecords } from 'perf-ts';

const counts = new Map();
describeRecords(process.argv[2] ?? 'perf.data', {}, ({ type, timeNs, comm, pid, tid, ...rest }) => {
  counts.set(type, (counts.get(type) ?? 0) + 1);
  console.log(timeNs ?? '-', type, `${comm ?? '?'} ${pid ?? '?'}/${tid ?? '?'}`, detail(rest));
});
for (const [type, count] of counts) console.log(`# ${type}: ${count}`);

/** The place of a sample, or the fields of another record. */
function detail({ event, period, callchain, record }) {
  if (record === undefined) {
    const names = callchain.map(({ symbol, ip }) => symbol ?? ip);
    return `${event} ${period} ${names.join(' < ')}`;
  }
  const { kind, type, ...fields } = record;
  return JSON.stringify(fields);
}
