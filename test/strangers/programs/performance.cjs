// Performance hooks: entries of each kind, and the names of the timeline.
const { PerformanceObserver, performance, monitorEventLoopDelay } = require('perf_hooks');
const kinds = [];
const observer = new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) kinds.push(`${entry.entryType} ${entry.name}`);
});
observer.observe({ entryTypes: ['mark', 'measure'] });
performance.mark('a');
performance.mark('b');
performance.measure('a to b', 'a', 'b');
console.log(Object.keys(performance.nodeTiming).join(), typeof monitorEventLoopDelay);
setTimeout(() => console.log(kinds), 20);
