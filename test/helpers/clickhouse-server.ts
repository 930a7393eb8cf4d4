// A server of ClickHouse on this machine, with Debian's package `clickhouse-server` or ClickHouse's own.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { scratchDirectory, whenDone } from './scratch.ts';

export const hasClickHouseServer = findServer() !== null;
export const SERVER_PASSWORD = 's3cret';

function findServer(): string | null {
  try {
    return execFileSync('sh', ['-c', 'command -v clickhouse-server'], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

/** Its data stay from start to start. */
export class ClickHouseServer {
  readonly port: number;
  readonly #config: string;
  #child: ChildProcess | null = null;

  static async start(): Promise<ClickHouseServer> {
    const server = new ClickHouseServer(await freePort(), await freePort());
    await server.start();
    return server;
  }

  private constructor(port: number, ownPort: number) {
    this.port = port;
    const folder = scratchDirectory();
    for (const name of ['data', 'tmp', 'formats']) mkdirSync(join(folder, name));
    this.#config = join(folder, 'config.xml');
    const users = join(folder, 'users.xml');
    writeFileSync(
      this.#config,
      `<?xml version="1.0"?><yandex>
<logger><level>warning</level><console>1</console></logger>
<listen_host>127.0.0.1</listen_host><http_port>${port}</http_port><tcp_port>${ownPort}</tcp_port>
<path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path>
<format_schema_path>${folder}/formats/</format_schema_path><users_config>${users}</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>100000000</mark_cache_size></yandex>`,
    );
    writeFileSync(
      users,
      `<?xml version="1.0"?><yandex><profiles><default></default></profiles>
<quotas><default></default></quotas><users><ann><password>${SERVER_PASSWORD}</password>
<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></ann></users></yandex>`,
    );
  }

  get url(): string {
    return `clickhouse://ann@127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const child = spawn('clickhouse-server', [`--config-file=${this.#config}`], {
      stdio: 'ignore',
    });
    this.#child = child;
    whenDone(() => this.kill());
    while (!(await this.#answers())) {
      if (child.exitCode !== null) throw new Error(`clickhouse-server: exit ${child.exitCode}`);
      await setTimeout(100);
    }
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.port}/ping`)).ok;
    } catch {
      return false;
    }
  }

  /** With whatever it was doing. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
