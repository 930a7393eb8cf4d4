import type { Service } from '../service/service.ts';

/** Limits that Pyroscope sets to a series. */
const MOST_LABELS = 30;

/**
 * The labels of a profile in stores whose labels are Prometheus's: names of letters, digits and `_`. The
 * labels of the configuration win over what a process says of itself; names that begin with `__` are the
 * store's own.
 */
export function sinkLabels(
  service: Service,
  labels: Readonly<Record<string, string>>,
  metric: string,
): readonly (readonly [name: string, value: string])[] {
  const named = new Map<string, string>([
    ['__name__', metric],
    ['service_name', service.name],
  ]);
  const add = (name: string, value: string): void => {
    if (named.size < MOST_LABELS && value !== '' && !named.has(name)) named.set(name, value);
  };
  for (const [name, value] of Object.entries(labels)) add(name, value);
  add('service_source', service.source);
  for (const [name, value] of Object.entries(service.attributes)) add(labelName(name), value);
  return [...named].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** `k8s.pod.name` as `k8s_pod_name`. */
export function labelName(attribute: string): string {
  const name = attribute.replace(/[^a-zA-Z0-9_]/g, '_').replace(/^(?=\d)/, '_');
  return name.startsWith('__') ? name.replace(/^_+/, '_') : name;
}
