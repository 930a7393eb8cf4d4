// A primary and two workers of a cluster that do the same work.

const cluster = require('node:cluster');

if (cluster.isPrimary) for (let i = 0; i < 2; i++) cluster.fork();
else {
  require('./busy.cjs').main(60);
  cluster.worker.disconnect();
}
