// OpenTelemetry's Collector, a program of others that test/rigs/otel-collector.mjs builds.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { scratchDirectory, whenDone } from './scratch.ts';

/** The rig puts it into the real home of the user, not that of a test run. */
const BUILT = join(userInfo().homedir, '.cache/perf-ts/otel-collector/otel-collector');
const PROGRAM = process.env.PERF_TS_OTELCOL ?? BUILT;
export const hasCollector = existsSync(PROGRAM);

export type Collector = {
  readonly url: string;
  readonly output: () => string;
  /** Ends it when what it has taken was handed on. */
  stop(): Promise<void>;
};

/** Takes OTLP at `port`, and hands each request on to `target` before it answers. */
export async function startCollector(port: number, target: string): Promise<Collector> {
  const file = join(scratchDirectory(), 'collector.json');
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: {
      otlp_http: {
        profiles_endpoint: `${target}/handed-on`,
        compression: 'none',
        sending_queue: { enabled: false },
        retry_on_failure: { enabled: false },
      },
    },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { profiles: { receivers: ['otlp'], exporters: ['otlp_http'] } },
    },
  };
  writeFileSync(file, JSON.stringify(config));
  const args = ['--config', file, '--feature-gates=service.profilesSupport'];
  const child = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  whenDone(() => {
    child.kill('SIGKILL');
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  await expect
    .poll(async () => (child.exitCode === null ? answers(port) : output), { interval: 100 })
    .toBe(true);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  return { url: `http://127.0.0.1:${port}`, output: () => output, stop };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isThere = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return isThere;
}
