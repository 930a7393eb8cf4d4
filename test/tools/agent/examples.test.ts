import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAgentConfig } from '../../../src/tools/agent/config/parse-config.ts';

const examples = join(import.meta.dirname, '../../../examples/agent');
const read = (name: string): string => readFileSync(join(examples, name), 'utf8');

it('the example of a configuration is one', () => {
  expect(parseAgentConfig(read('agent.json'), 'agent.json').sinks).toHaveLength(1);
});

it('the configuration within the DaemonSet is one', () => {
  const [, block] = /agent\.json: \|\n((?: {4}.*\n)+)/.exec(read('daemonset.yaml')) ?? [];
  expect(parseAgentConfig(block ?? '', 'daemonset').listen?.port).toBe(9464);
});
