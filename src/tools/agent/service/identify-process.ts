import { basename, dirname, join } from 'node:path';
import { parseForeignJson, textField } from '../../../base/foreign-json.ts';
import { decodePercent } from '../../../base/text.ts';
import { mainScript } from '../../../code/javascript/main-script.ts';
import { readStat, STAT_FIELD } from '../../../system/processes/thread-stat.ts';
import { readLinkOrNull, readTextOrEmpty } from '../../../system/small-file.ts';
import type { ProcessIdentity, StrangerReads } from '../../../system/strangers/stranger-reads.ts';
import { readCgroup } from './cgroup-path.ts';
import type { ContainerNames } from './container-names.ts';
import { CONTEXT_MAPPING, readProcessContext } from './process-context.ts';
import { boundedService, type Service } from './service.ts';

/** `PF_KTHREAD` of the kernel's `linux/sched.h`. */
const KERNEL_THREAD = 0x0020_0000;
/** The only variables that are looked at: a process's environment holds its secrets, too. */
const NAME_VARIABLE = 'OTEL_SERVICE_NAME';
const ATTRIBUTES_VARIABLE = 'OTEL_RESOURCE_ATTRIBUTES';
const NO_IDENTITY: ProcessIdentity = { variables: [], words: [], maps: '' };
const ATTRIBUTE_KEY = /^[\w.-]+$/;

/** A process and when it began: a pid is used again. */
export type IdentifiedProcess = {
  readonly service: Service;
  readonly startTicks: string;
  /** False where it did not answer in time: its service is a guess by what needs no answer. */
  readonly hasAnswered: boolean;
};

/** When a process began, in the kernel's ticks; null where it is gone. */
export function startTicksOf(pid: number): string | null {
  return readStat(pid)?.[STAT_FIELD.startTicks] ?? null;
}

/**
 * Finds the service of a process by the first of these that names it: OpenTelemetry's process context,
 * `OTEL_SERVICE_NAME` in its environment, its systemd unit, its Kubernetes container, its container, the
 * `package.json` of its main script, its program. The others add attributes. Null where it is gone. `comm`: that of its
 * main thread.
 */
export async function identifyProcess(
  pid: number,
  comm: string,
  containers: ContainerNames,
  reads: StrangerReads,
): Promise<IdentifiedProcess | null> {
  const stat = readStat(pid);
  const startTicks = stat?.[STAT_FIELD.startTicks];
  if (stat === null || startTicks === undefined) return null;
  if ((Number(stat[STAT_FIELD.flags]) & KERNEL_THREAD) !== 0) {
    const service: Service = { name: 'kernel', source: 'kernel', attributes: {} };
    return { service, startTicks, hasAnswered: true };
  }
  const names = [NAME_VARIABLE, ATTRIBUTES_VARIABLE];
  const identity = await reads.identity(pid, names, CONTEXT_MAPPING);
  const service = await identify(pid, comm, identity ?? NO_IDENTITY, containers, reads);
  // The facts that name it may have gone while it was read; a process that nobody waits for yet has nothing left, too.
  if (service.source === 'comm' && !isThere(pid, startTicks)) return null;
  return { service: boundedService(service), startTicks, hasAnswered: identity !== null };
}

function isThere(pid: number, startTicks: string): boolean {
  const stat = readStat(pid);
  if (stat === null || stat[STAT_FIELD.startTicks] !== startTicks) return false;
  return !/^[ZXx]$/.test(stat[STAT_FIELD.state] ?? '');
}

async function identify(
  pid: number,
  comm: string,
  { variables, words: argv, maps }: ProcessIdentity,
  containers: ContainerNames,
  reads: StrangerReads,
): Promise<Service> {
  const context = (await readProcessContext(pid, maps, reads)) ?? {};
  const environment = readServiceVariables(variables);
  const group = identifyCgroup(readTextOrEmpty(`/proc/${pid}/cgroup`), containers);
  const attributes: Record<string, string> = { ...group.attributes, ...environment, ...context };
  const name = attributes['service.name'];
  delete attributes['service.name'];
  if (context['service.name']) {
    return { name: context['service.name'], source: 'process-context', attributes };
  }
  if (name) return { name, source: 'environment', attributes };
  if (group.named !== null) return { ...group.named, attributes };
  const main = await findMainPackage(pid, argv, reads);
  if (main === null) {
    const ran = programName(comm, argv, readLinkOrNull(`/proc/${pid}/exe`));
    return { name: ran === '' ? '[unknown]' : ran, source: 'comm', attributes };
  }
  const version = main.version === null ? {} : { 'service.version': main.version };
  return { name: main.name, source: 'package', attributes: { ...version, ...attributes } };
}

/** Attributes by a control group, and the service that it is; null where it is nobody's. */
export type GroupService = {
  readonly named: Pick<Service, 'name' | 'source'> | null;
  readonly attributes: Readonly<Record<string, string>>;
};

/** Identifies a unit, or a container with its pod, by the text of `/proc/PID/cgroup`. */
export function identifyCgroup(text: string, containers: ContainerNames): GroupService {
  const { unit, containerId, podUid } = readCgroup(text);
  const container = containerId === null ? null : containers.find(containerId);
  const attributes = {
    ...(containerId !== null && { 'container.id': containerId }),
    ...(podUid !== null && { 'k8s.pod.uid': podUid }),
    ...(container?.pod && { 'k8s.pod.name': container.pod }),
    ...(container?.namespace && { 'k8s.namespace.name': container.namespace }),
    ...(container?.pod && container.container && { 'k8s.container.name': container.container }),
    ...(unit !== null && { 'systemd.unit': unit }),
  };
  if (unit !== null) {
    const name = unit.replace(/\.(?:service|scope)$/, '');
    return { named: { name, source: 'systemd' }, attributes };
  }
  if (!container?.container) return { named: null, attributes };
  const source = container.pod === null ? 'container' : 'kubernetes';
  return { named: { name: container.container, source }, attributes };
}

/**
 * The name of the program that a process runs: the comm that it was given with the program, the name of the file or of
 * its script, cut to 15 bytes. Node and others give their main thread another one, which is no program's.
 */
export function programName(comm: string, argv: readonly string[], file: string | null): string {
  const isGiven = argv.slice(0, 2).some((word) => comm !== '' && basename(word).startsWith(comm));
  return isGiven || file === null ? comm : basename(file.replace(/ \(deleted\)$/, ''));
}

/** Attributes in OpenTelemetry's variables: `service.name` and other attributes, percent-decoded. */
export function readServiceVariables(variables: readonly string[]): Record<string, string> {
  const attributes: Record<string, string> = {};
  const variable = (name: string): string =>
    variables.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  for (const pair of variable(ATTRIBUTES_VARIABLE).split(',')) {
    // An expression that looks for spaces at both ends takes the square of their number.
    const equals = pair.indexOf('=');
    const key = pair.slice(0, Math.max(0, equals)).trim();
    if (ATTRIBUTE_KEY.test(key) && key !== '__proto__') {
      attributes[key] = decodePercent(pair.slice(equals + 1).trim());
    }
  }
  const name = variable(NAME_VARIABLE);
  if (name !== '') attributes['service.name'] = name;
  return attributes;
}

/** Runtimes whose scripts lie in packages. */
const RUNTIME = /^(?:node|nodejs|bun|deno|tsx|ts-node)(?:-?\d[\d.]*)?$/;
const MOST_NAME_CHARS = 256;

/** `name` and `version` of the `package.json` around the main script; null where there is none. */
type MainPackage = { readonly name: string; readonly version: string | null };

/**
 * Finds the package of a JavaScript process: that of the folder nearest to its main script. Files are looked
 * up as the process sees them, below its own root.
 */
async function findMainPackage(
  pid: number,
  argv: readonly string[],
  reads: Pick<StrangerReads, 'workingFolder' | 'filesAbove'>,
): Promise<MainPackage | null> {
  const script = RUNTIME.test(basename(argv[0] ?? '')) ? mainScript(argv) : null;
  if (script === null) return null;
  const folder = script.startsWith('/') ? '/' : await reads.workingFolder(pid);
  if (folder === null) return null;
  for (const text of await reads.filesAbove(pid, dirname(join(folder, script)), 'package.json')) {
    // A package without a name, as one that only says `"type": "module"`, is not it.
    const json = parseForeignJson(text);
    const name = textField(json, 'name', MOST_NAME_CHARS);
    if (name) return { name, version: textField(json, 'version', MOST_NAME_CHARS) };
  }
  return null;
}
