// Counts what a program does in named regions, its set-up left out, and what measuring itself costs.
//   node examples/region-of-interest.mjs [EVENT…]      default: task-clock page-faults

import { measureOverhead, openGroup, Regions, subtractOverhead } from 'perf-ts';

const events = process.argv.length > 2 ? process.argv.slice(2) : ['task-clock', 'page-faults'];
const group = openGroup(Object.fromEntries(events.map((event) => [event, event])));
const overhead = measureOverhead(group);

// The set-up: nothing of it is counted.
const text = JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, name: `n${id}` })));

const regions = new Regions(group);
const total = regions.measure('request', (request) => {
  const rows = request.measure('parse', () => JSON.parse(text));
  return request.measure('sum', () => rows.reduce((sum, { id }) => sum + id, 0));
});

print(regions.report(), 0);
console.log(`the result is ${total}; measuring an empty region counts:`);
for (const event of events) console.log(`  ${event} ${overhead.pair[event]}`);
group.close();

function print(reports, depth) {
  for (const { name, calls, total, inside } of reports) {
    const counts = subtractOverhead(total, depth === 0 ? overhead.pair : overhead.read);
    const shown = events.map((event) => `${event} ${counts[event] ?? 'not counted'}`);
    const note = total.scaled ? `, on the PMU ${(100 * total.runningShare).toFixed(0)} %` : '';
    console.log(`${'  '.repeat(depth)}${name} ×${calls}: ${shown.join(', ')}${note}`);
    print(inside, depth + 1);
  }
}
