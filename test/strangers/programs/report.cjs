// Node's diagnostic report: options, handles and workers.
const { basename } = require('path');
const report = process.report.getReport();
const whole = typeof report === 'string' ? JSON.parse(report) : report;
console.log(
  Object.keys(whole).join(),
  whole.header.commandLine.map((word) => basename(word)),
);
console.log(
  whole.libuv
    .map(({ type }) => type)
    .sort()
    .join(),
  (whole.workers || []).length,
);
