import { NONE } from '../../../../src/base/brand.ts';
import { KIND_GROUPS } from '../../../../src/formats/export/kind-group.ts';
import type { FrameKey, FrameKind, TreeLabels, TreeParams } from '../messages/messages.ts';
import type { LoadedRecording } from './recording.ts';

/** Key of the rows that stand for folded ones. */
export const FOLDED_KEY = -1;

/** Group of rows that are no functions. */
const NO_GROUP = KIND_GROUPS.indexOf('unknown');

/** The name of a FrameKey. */
export function nameOfKey(
  recording: LoadedRecording,
  key: FrameKey,
  roots: TreeParams['roots'],
): string {
  const { funcName, threadName, profile } = recording;
  const funcs = profile.funcs.length;
  if (key < funcs) return funcName[key] ?? '';
  if (key < 2 * funcs) return funcName[key - funcs] ?? '';
  const root = key - 2 * funcs;
  const thread = profile.threads[root];
  switch (roots) {
    case 'comm':
      return recording.programs.names.get(root) ?? (profile.strings[root] || '[unknown]');
    case 'thread':
      return thread === undefined ? '' : `${threadName[root]} (tid ${thread.tid})`;
    case 'process':
      return thread === undefined ? '' : `${thread.comm || '[unknown]'} (pid ${thread.pid})`;
    case 'cpu':
      return root === 0 ? 'CPU unknown' : `CPU ${root - 1}`;
    case 'none':
      return '';
  }
}

/** Collects the labels of the rows of one answer, each once. */
export class LabelCollector {
  readonly #recording: LoadedRecording;
  readonly #roots: TreeParams['roots'];
  readonly #isMatch: ((key: FrameKey) => boolean) | null;
  readonly #rowOfKey = new Map<FrameKey, number>();
  readonly #key: number[] = [];
  readonly #name: string[] = [];
  readonly #kind: FrameKind[] = [];
  readonly #group: number[] = [];
  readonly #dso: string[] = [];
  readonly #dsoIndex: number[] = [];
  readonly #place: string[] = [];
  readonly #matches: number[] = [];

  constructor(
    recording: LoadedRecording,
    roots: TreeParams['roots'],
    isMatch: ((key: FrameKey) => boolean) | null,
  ) {
    this.#recording = recording;
    this.#roots = roots;
    this.#isMatch = isMatch;
  }

  add(key: FrameKey): number {
    const known = this.#rowOfKey.get(key);
    if (known !== undefined) return known;
    const row = this.#key.length;
    this.#rowOfKey.set(key, row);
    const { profile } = this.#recording;
    const funcs = profile.funcs.length;
    const func = key === FOLDED_KEY || key >= 2 * funcs ? NONE : key % funcs;
    this.#key.push(key);
    this.#matches.push(key !== FOLDED_KEY && this.#isMatch?.(key) === true ? 1 : 0);
    if (func === NONE) {
      const isFolded = key === FOLDED_KEY;
      this.#name.push(isFolded ? '(folded)' : nameOfKey(this.#recording, key, this.#roots));
      this.#kind.push(isFolded ? 'folded' : 'root');
      this.#group.push(NO_GROUP);
      this.#dso.push('');
      this.#dsoIndex.push(NONE);
      this.#place.push('');
      return row;
    }
    this.#name.push(this.#recording.funcName[func]);
    this.#kind.push(this.#recording.kindOf(func));
    this.#group.push(this.#recording.groups[func]);
    this.#dso.push(this.#recording.dsoPathOf(func));
    this.#dsoIndex.push(profile.funcs.dso[func]);
    this.#place.push(this.#recording.placeOf(func));
    return row;
  }

  finish(): TreeLabels {
    return {
      key: Int32Array.from(this.#key),
      name: this.#name,
      kind: this.#kind,
      group: Uint8Array.from(this.#group),
      dso: this.#dso,
      dsoIndex: Int32Array.from(this.#dsoIndex),
      place: this.#place,
      isMatch: Uint8Array.from(this.#matches),
    };
  }
}
