import { parseForeignJson, textField } from '../../../base/foreign-json.ts';
import { listOrEmpty, readTextOrNull } from '../../../system/small-file.ts';

/** How a container is called, as far as this machine's files say. */
export type ContainerName = {
  readonly container: string | null;
  readonly pod: string | null;
  readonly namespace: string | null;
};

/** `POD_NAMESPACE_CONTAINER-ID.log`, links that the kubelet makes. */
const LOG_NAME = /^(.+)_([^_]+)_(.+)-([0-9a-f]{64})\.log$/;
/** A pod's containers come at once; their links are looked for again only so often. */
const LOOK_AGAIN_MS = 10_000;
const MOST_NAME_CHARS = 256;

export type ContainerPlaces = {
  /** The kubelet's links to logs. Default `/var/log/containers`. */
  readonly logs?: string;
  /** Docker's folders of containers. Default `/var/lib/docker/containers`. */
  readonly docker?: string;
};

/** Names of containers by their ids, from the kubelet's links to logs and from Docker's own files: no API. */
export class ContainerNames {
  readonly #logs: string;
  readonly #docker: string;
  readonly #now: () => number;
  #byId = new Map<string, ContainerName>();
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(places: ContainerPlaces = {}, now: () => number = () => performance.now()) {
    this.#logs = places.logs ?? '/var/log/containers';
    this.#docker = places.docker ?? '/var/lib/docker/containers';
    this.#now = now;
  }

  /** Null where nothing is known of the container. */
  find(id: string): ContainerName | null {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    this.#look();
    return this.#byId.get(id) ?? this.#ofDocker(id);
  }

  #look(): void {
    if (this.#now() - this.#lookedMs < LOOK_AGAIN_MS) return;
    this.#lookedMs = this.#now();
    const found = new Map<string, ContainerName>();
    for (const name of listOrEmpty(this.#logs)) {
      const [, pod, namespace, container, id] = LOG_NAME.exec(name) ?? [];
      if (pod === undefined || namespace === undefined || container === undefined) continue;
      found.set(id as string, { container, pod, namespace });
    }
    this.#byId = found;
  }

  #ofDocker(id: string): ContainerName | null {
    const text = readTextOrNull(`${this.#docker}/${id}/config.v2.json`);
    if (text === null) return null;
    const name = textField(parseForeignJson(text), 'Name', MOST_NAME_CHARS);
    if (!name) return null;
    return { container: name.replace(/^\//, ''), pod: null, namespace: null };
  }
}
