import { parseForeignJson } from '../../base/foreign-json.ts';
import { lateModules } from '../../base/late-modules.ts';
import { codeEventsModule, takeInModule } from '../../system/runtimes/register-modules.ts';
import { type HandshakeResult, readTakenIn } from './handshake-result.ts';

/** Whether this process is one whose V8 can be asked: Bun and Deno have other ways inside. */
export function hasOwnCode(): boolean {
  const { bun, deno } = process.versions as Record<string, string | undefined>;
  return bun === undefined && deno === undefined;
}

/**
 * Makes this process report its code, from whichever thread: an inspector session within the process
 * reaches the main thread, without a port.
 */
export function attachOwnProcess(socket: string): Promise<HandshakeResult> {
  const library = codeEventsModule().codeEventsLibrary();
  if (library === null) {
    return Promise.resolve({ failure: 'perf-ts has no code-events library for this machine' });
  }
  const { isMainThread } = lateModules.workerThreads;
  // A worker that records its own process is no thread of the program's.
  const except = isMainThread ? {} : { exceptScript: process.argv[1] };
  const options = { library, socket, closesInspector: false, ...except };
  const expression = takeInModule().takeInExpression(options);
  const params = { expression, includeCommandLineAPI: true, returnByValue: true, silent: true };
  const session = new lateModules.inspector.Session();
  if (isMainThread) session.connect();
  else session.connectToMainThread();
  return new Promise((resolve) => {
    session.post('Runtime.evaluate', params, (error: Error | null, answer?: object) => {
      session.disconnect();
      resolve(error === null ? resultOf(answer as Evaluated) : { failure: error.message });
    });
  });
}

type Evaluated = {
  readonly result: { readonly value?: unknown };
  readonly exceptionDetails?: {
    readonly text: string;
    readonly exception?: { readonly description?: string };
  };
};

function resultOf({ result, exceptionDetails }: Evaluated): HandshakeResult {
  if (exceptionDetails !== undefined) {
    const { exception, text } = exceptionDetails;
    return { failure: (exception?.description ?? text).split('\n')[0] };
  }
  const taken = readTakenIn(parseForeignJson(`${result.value}`));
  return taken === null ? { failure: 'it answers with nothing that is understood' } : { taken };
}
