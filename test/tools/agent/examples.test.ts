import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { AgentCounts, metricsText } from '../../../src/tools/agent/agent-metrics.ts';
import { parseAgentConfig } from '../../../src/tools/agent/config/parse-config.ts';

const examples = join(import.meta.dirname, '../../../examples/agent');
const read = (name: string): string => readFileSync(join(examples, name), 'utf8');

it('the example of a configuration is one', () => {
  expect(parseAgentConfig(read('agent.json'), 'agent.json').sinks).toHaveLength(1);
});

it('the rules and the dashboard ask for metrics that the agent has', () => {
  const metrics = metricsText({
    counts: new AgentCounts(),
    totals: { counted: null, weighed: 0, samples: 0, lost: 0 },
    ...{ renewals: 0, deliveries: [], version: '0' },
  });
  const known = new Set(Array.from(metrics.matchAll(/^# TYPE (\w+) /gm), ([, name]) => name));
  const asked = ['alerts.yaml', 'grafana-dashboard.json'].flatMap((name) =>
    Array.from(read(name).matchAll(/perf_ts_agent_\w+/g), ([metric]) => metric),
  );
  expect(asked.length).toBeGreaterThan(15);
  expect(asked.filter((metric) => !known.has(metric))).toEqual([]);
  expect(JSON.parse(read('grafana-dashboard.json')).panels).toHaveLength(8);
});

it('the service and the DaemonSet have the same capabilities, and no other rights', () => {
  const [, ofUnit] = /^CapabilityBoundingSet=(.*)$/m.exec(read('perf-ts-agent.service')) ?? [];
  const [, ofPod] = /add: \[(.*)\]/.exec(read('daemonset.yaml')) ?? [];
  expect(ofUnit?.split(' ')).toEqual(ofPod?.split(', ').map((name) => `CAP_${name}`));
  expect(read('daemonset.yaml')).not.toContain('privileged: true');
});

it('the configuration within the DaemonSet is one', () => {
  vi.stubEnv('NODE_NAME', 'node-1');
  const [, block] = /agent\.json: \|\n((?: {4}.*\n)+)/.exec(read('daemonset.yaml')) ?? [];
  const { labels, listen } = parseAgentConfig(block ?? '', 'daemonset');
  vi.unstubAllEnvs();
  expect([labels, listen?.port]).toEqual([{ host: 'node-1' }, 9464]);
});

/** The documents of the YAML files, as Python's parser has them; null where that is not there. */
function readManifests(names: readonly string[]): Record<string, Manifest[]> | null {
  const program =
    'import json, sys, yaml; json.dump({ n: list(yaml.safe_load_all(open(n))) for n in sys.argv[1:] }, sys.stdout)';
  const { status, stdout } = spawnSync('python3', ['-c', program, ...names], { cwd: examples });
  return status === 0 ? JSON.parse(String(stdout)) : null;
}

type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly resources: readonly string[];
  readonly spec: { readonly template: { readonly spec: PodSpec } };
};
type Named = { readonly name: string };
type PodSpec = {
  readonly containers: readonly (Named & {
    readonly image: string;
    readonly volumeMounts: readonly Named[];
  })[];
  readonly volumes: readonly (Named & { readonly configMap?: Named })[];
};

const names = readdirSync(examples).filter((name) => name.endsWith('.yaml'));
const manifests = readManifests(names);

it.skipIf(manifests === null)(
  'the manifests are YAML, and what they refer to is among them',
  () => {
    const documentsOf = (name: string) => manifests?.[name] ?? [];
    const kinds = names.flatMap((name) => documentsOf(name).map(({ kind }) => kind));
    expect(kinds.filter((kind) => kind !== undefined).sort()).toEqual([
      ...['ConfigMap', 'DaemonSet', 'Kustomization', 'Namespace'],
    ]);
    const [{ resources }] = documentsOf('kustomization.yaml');
    expect(names).toEqual(expect.arrayContaining([...resources]));
    const [config, { spec }] = documentsOf('daemonset.yaml');
    const [{ image, volumeMounts }] = spec.template.spec.containers;
    expect(read('kustomization.yaml')).toContain(`{ name: ${image.replace(/:.*/, '')}, `);
    const { volumes } = spec.template.spec;
    const byName = (all: readonly Named[]) => all.map(({ name }) => name).sort();
    expect(byName(volumes)).toEqual(byName(volumeMounts));
    const ofConfig = volumes.find(({ name }) => name === 'config');
    expect(ofConfig?.configMap?.name).toBe(config.metadata.name);
  },
);
