// The recorder stopped for a while at 30 kHz with call stacks: how long the rings hold out.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { hasPerf, info, outDirectory, perfLost, perfTs, workload } from '../measure.mjs';

const HOLDS_MS = [100, 250, 500, 1000];

export async function rows() {
  const flags = ['record', '-q', '-e', 'cpu-clock', '-F', '30000', '-g'];
  const target = ['--', workload(), 'burn', '1', '4'];
  const lost = { ours: [], peer: [] };
  for (const hold of HOLDS_MS) {
    const ours = join(outDirectory, 'held.data');
    await recordHeld([...perfTs, ...flags, '-o', ours, ...target], hold);
    lost.ours.push(info(ours).loss.best);
    if (!hasPerf()) continue;
    const peer = join(outDirectory, 'held-perf.data');
    await recordHeld(['perf', ...flags, '-o', peer, ...target], hold);
    lost.peer.push(perfLost(peer));
  }
  return [
    {
      what: `lost while the recorder is stopped ${HOLDS_MS.join(' / ')} ms, 30 kHz -g`,
      ours: lost.ours.join(' / '),
      peer: lost.peer.join(' / '),
    },
  ];
}

/** Runs the recorder, and stops it for `hold` ms one second after its start. */
async function recordHeld([command, ...args], hold) {
  const child = spawn(command, args, { stdio: 'ignore' });
  const ended = new Promise((done) => child.on('exit', done));
  await after(1000);
  child.kill('SIGSTOP');
  await after(hold);
  child.kill('SIGCONT');
  await ended;
}

function after(ms) {
  return new Promise((done) => setTimeout(done, ms));
}
