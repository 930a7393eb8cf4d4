// Libraries that the process has mapped, as Node's diagnostic report lists them.
const { basename } = require('path');
const report = process.report.getReport();
const whole = typeof report === 'string' ? JSON.parse(report) : report;
const addons = whole.sharedObjects.filter((path) => /\.node$|code-events/.test(path));
console.log(addons.map((path) => basename(path)).join());
