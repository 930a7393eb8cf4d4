import { NONE } from '../../base/brand.ts';
import { HEAP_EVENT } from '../../profile/wait-event.ts';
import { addCallFrame } from './call-frame.ts';
import {
  type ImportedProfile,
  type ImportedProfileBuilder,
  importedEvent,
} from './imported-profile.ts';
import { asArray, asNumber, asObject } from './json-text.ts';

/**
 * A .heapprofile, `HeapProfiler.SamplingHeapProfile` of the DevTools protocol: who has allocated the
 * bytes that were live when it was taken, as V8 estimates them by its samples.
 *
 *   { "head": { "callFrame", "selfSize": bytes, "children": [node] } }
 *
 * A node with bytes of its own is a sample that weighs them; there are no times.
 */
export function importHeapProfile(
  file: Readonly<Record<string, unknown>>,
  builder: ImportedProfileBuilder,
): ImportedProfile {
  // A list instead of recursion: a file may be nested as deep as it likes.
  const pending: { readonly node: unknown; readonly prefix: number }[] = [];
  pending.push({ node: file.head, prefix: NONE });
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const node = asObject(next.node);
    if (node === null) {
      builder.skipLine('a node that is no object');
      continue;
    }
    const stack = addCallFrame(builder, next.prefix, node.callFrame);
    const period = asNumber(node.selfSize, 0);
    if (period > 0) {
      const nowhere = { comm: 'JavaScript', pid: NONE, tid: NONE, cpu: NONE, time: null };
      builder.addSample({ ...nowhere, event: 0, period }, stack);
    }
    for (const child of asArray(node.children)) pending.push({ node: child, prefix: stack });
  }
  const notes = [
    'read from a .heapprofile: bytes that were in use, by who allocated them',
    'the uncertainty of shares is unknown: a node sums samples of unknown sizes',
  ];
  return builder.finish('heapprofile', { notes }, [importedEvent(HEAP_EVENT, 'bytes')]);
}
