const { startupSnapshot } = require('node:v8');
const rows = [1, 2, 3];
startupSnapshot.setDeserializeMainFunction(() => console.log('from the snapshot', rows));
