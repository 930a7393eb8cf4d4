// The inspector: a session of the program's own, and one that it opens for others.
const inspector = require('inspector');
console.log(inspector.url());
const session = new inspector.Session();
session.connect();
session.post('Runtime.evaluate', { expression: '1 + 1' }, (_error, { result }) =>
  console.log(result.value),
);
session.post('Profiler.enable', () => console.log('profiler'));
session.disconnect();
inspector.open(0, '127.0.0.1');
console.log(typeof inspector.url());
inspector.close();
console.log(inspector.url());
