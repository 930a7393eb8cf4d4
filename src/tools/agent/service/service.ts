/** The source of a service's name, best first. */
export type ServiceSource =
  | 'process-context'
  | 'environment'
  | 'systemd'
  | 'kubernetes'
  | 'container'
  | 'package'
  | 'comm'
  | 'kernel'
  | 'idle';

/** A group of processes that is looked at as one: its windows are profiles of their own. */
export type Service = {
  readonly name: string;
  readonly source: ServiceSource;
  /**
   * Attributes by OpenTelemetry's names (`service.version`, `k8s.pod.name` …), without the service's own name. Bounded
   * in number and length; values are what strangers wrote.
   */
  readonly attributes: Readonly<Record<string, string>>;
};

/** A text that is the same for equal services only. */
export function serviceKey({ name, source, attributes }: Service): string {
  return JSON.stringify([name, source, Object.entries(attributes).sort()]);
}

const MOST_NAME = 200;
const MOST_ATTRIBUTES = 24;
const MOST_VALUE = 256;

/** The service with what strangers wrote cut to a bounded size. */
export function boundedService(service: Service): Service {
  const attributes: Record<string, string> = {};
  for (const [name, value] of Object.entries(service.attributes).slice(0, MOST_ATTRIBUTES)) {
    if (name.length <= MOST_NAME) attributes[name] = value.slice(0, MOST_VALUE);
  }
  return { ...service, name: service.name.slice(0, MOST_NAME), attributes };
}
