// Warnings of the program's own, and what listens to them.
process.on('warning', (warning) => console.log(warning.name, warning.message));
process.emitWarning('a warning of the program');
process.emitWarning('a deprecation of the program', 'DeprecationWarning', 'DEP9999');
const many = new (require('events'))();
for (let i = 0; i < 12; i++) many.on('x', () => {});
