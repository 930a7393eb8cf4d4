// A domain that catches.
const caught = require('domain').create();
caught.on('error', (error) => console.log('domain', error.message));
caught.run(() =>
  setTimeout(() => {
    throw new Error('in a domain');
  }, 2),
);
