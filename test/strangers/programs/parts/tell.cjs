const { NODE_CHANNEL_FD: _fd, ...own } = process.env;
process.send(JSON.stringify([Object.keys(own).sort(), process.env.NODE_OPTIONS, process.execArgv]));
process.disconnect();
