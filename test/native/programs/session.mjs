// Opens recording sessions the way the programs beside it need them, in plain JavaScript: they run
// in processes and workers of their own. The test hands over what to open in the environment.
import { createRequire } from 'node:module';

/** `{ addon, events: [base64], sideband: base64, cpus }` */
const setup = JSON.parse(process.env.PERF_TS_TEST_SETUP);
const bytes = (base64) => new Uint8Array(Buffer.from(base64, 'base64'));

export const addonPath = setup.addon;
export const binding = createRequire(import.meta.url)(setup.addon);

export const everything = { kind: 'system' };
/** Short, because nobody ends it and it holds the test's pipes open. */
export const sleeper = {
  kind: 'command',
  command: { path: '/bin/sleep', argv: ['sleep', '1'], env: [] },
};

export function open(target, from = binding) {
  return new from.Sampler({
    events: setup.events.map((attr) => ({ attr: bytes(attr), leader: -1 })),
    sideband: bytes(setup.sideband),
    cpus: setup.cpus,
    sidebandCpus: setup.cpus,
    target,
    ringPages: 8,
    sidebandPages: 8,
    latencyMs: 1,
  });
}

export function takeAll(sampler) {
  let count = 0;
  for (let chunk = sampler.takeChunk(); chunk !== null; chunk = sampler.takeChunk()) {
    count += chunk.length;
  }
  return count;
}

export const live = { maxChunks: 8, chunkBytes: 65536 };
