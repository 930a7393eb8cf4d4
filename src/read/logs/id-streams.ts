import { NONE } from '../../base/brand.ts';
import type { RecordedEvent } from '../../formats/perf-data/event-list.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../kernel/perf-event/constants.ts';

/** The meaning of an event's id in a sample for the instance that took it. */
type Meaning =
  /** Nothing more than thread and CPU do, or there is no id. */
  | 'nothing'
  /** The instance itself. */
  | 'instance'
  /** The CPU: tasks that inherited the instance have its id, and each has an instance of its own. */
  | 'cpu';

/**
 * Streams of events that record ID and not STREAM_ID, as `perf record` of groups does it. The kernel
 * writes the id of the instance that was *opened*, one per CPU in a recording of a command:
 *
 *     attr.inherit   CPU recorded   a stream is
 *     no             either         an id
 *     yes            no             an id and a thread: only the id tells CPUs apart
 *     yes            yes            left open: `groupByStream` takes thread and CPU, which also knows
 *                                   recordings of whole CPUs, where nothing is inherited
 *
 * Counts of one instance only grow; those of two CPUs mixed give differences that nothing counted.
 */
export class IdStreams {
  readonly #meanings: readonly Meaning[];
  /** Row of the stream by thread, −1 for all threads, by id. */
  readonly #rows = new Map<number, Map<number, number>>();
  readonly #add: (id: number, attrIndex: number) => number;

  /** `add` makes a row for a stream. */
  constructor(
    events: readonly Pick<RecordedEvent, 'attr'>[],
    add: (id: number, attrIndex: number) => number,
  ) {
    this.#meanings = events.map(({ attr }) => meaningOfId(attr));
    this.#add = add;
  }

  /** Row of the stream of a sample with this id; −1 where the id tells nothing. */
  // Hot: once per sample of such events.
  streamOf(attrIndex: number, id: number, thread: number): number {
    const meaning = this.#meanings[attrIndex];
    if (meaning === 'nothing') return NONE;
    let rows = this.#rows.get(id);
    if (rows === undefined) {
      rows = new Map();
      this.#rows.set(id, rows);
    }
    const key = meaning === 'cpu' ? thread : NONE;
    let row = rows.get(key);
    if (row === undefined) {
      row = this.#add(id, attrIndex);
      rows.set(key, row);
    }
    return row;
  }
}

function meaningOfId({ sampleType, flags }: EventAttr): Meaning {
  const { ID, IDENTIFIER, STREAM_ID, CPU } = PERF_SAMPLE;
  const hasId = (sampleType & (ID | IDENTIFIER)) !== 0;
  if (!hasId || (sampleType & STREAM_ID) !== 0) return 'nothing';
  if (!flags.inherit) return 'instance';
  return (sampleType & CPU) === 0 ? 'cpu' : 'nothing';
}
