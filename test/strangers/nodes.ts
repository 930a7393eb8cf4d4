// Versions of Node under test: those that are found, and those that npm's registry gives.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Majors of the matrix. */
export const MAJORS = [8, 10, 12, 14, 16, 18, 20, 22, 24, 26] as const;

export type FoundNode = { readonly major: number; readonly path: string; readonly version: string };

/** Where Nodes are looked for, a folder `nMAJOR` each, and put: PERF_TS_NODES, or a folder of the user's cache. */
export function nodesFolder(): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return process.env.PERF_TS_NODES || join(cache, 'perf-ts', 'nodes');
}

function packageOf(): string {
  return `node-linux-${process.arch}`;
}

function pathOf(folder: string, major: number): string {
  return join(folder, `n${major}`, 'node_modules', packageOf(), 'bin', 'node');
}

/** The Node of this major: in the folder, or the one that runs this. */
export function findNode(major: number, folder = nodesFolder()): FoundNode | null {
  const own = process.versions.node.split('.')[0] === String(major) ? process.execPath : null;
  const path = existsSync(pathOf(folder, major)) ? pathOf(folder, major) : own;
  if (path === null) return null;
  const { stdout, status } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return status === 0 ? { major, path, version: stdout.trim() } : null;
}

/** Puts a Node into the folder by npm; whether it could be had. */
export function installNode(major: number, folder = nodesFolder()): boolean {
  const prefix = join(folder, `n${major}`);
  mkdirSync(prefix, { recursive: true });
  const words = ['install', '--no-audit', '--no-fund', '--no-save', '--prefix', prefix];
  try {
    execFileSync('npm', [...words, `${packageOf()}@${major}`], {
      stdio: 'ignore',
      timeout: 300_000,
    });
  } catch {
    return false;
  }
  return existsSync(pathOf(folder, major));
}
