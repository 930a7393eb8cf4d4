import { loadBinding } from '../native/binding.ts';

/**
 * Ends the process without V8's own shutdown once all handlers of 'exit' have run. Node 20 and 22
 * wait there for threads that compile, and now and then one of them waits for the main thread
 * (nodejs/node#54918): a command whose output is complete would never end. Output to files, pipes
 * and terminals is synchronous on Linux, so nothing is lost. Coverage and V8's own profilers write
 * at shutdown; with them it stays.
 */
export function exitWithoutShutdown(): void {
  if (process.env.NODE_V8_COVERAGE !== undefined || process.execArgv.length > 0) return;
  process.on('exit', (code) => {
    try {
      loadBinding().exitNow(code);
    } catch {
      // Without the addon the usual shutdown is all there is.
    }
  });
}
