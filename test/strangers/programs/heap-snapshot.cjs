// A heap snapshot, read to its end.
const stream = require('v8').getHeapSnapshot();
let text = '';
stream.on('data', (part) => {
  text += part;
});
stream.on('end', () => {
  const { nodes, snapshot } = JSON.parse(text);
  console.log(nodes.length / snapshot.meta.node_fields.length === snapshot.node_count);
});
