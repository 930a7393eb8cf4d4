import { type ColourName, colourNameOfFunc } from '../../../src/formats/export/frame-shades.ts';
import { KIND_GROUPS } from '../../../src/formats/export/kind-group.ts';
import type { TreeLabels } from '../worker/messages/messages.ts';

/** The colour for elements of HTML. */
export const colourVariable = (name: ColourName): string => `var(--kind-${name})`;

/** The colour's name of a row of labels; −1: everything. */
export function colourNameOf(labels: TreeLabels, label: number): ColourName {
  if (label < 0) return 'root';
  if (labels.isMatch[label] === 1) return 'match';
  return colourNameOfKind(labels, label);
}

/** The colour's name of a row of labels, whatever is sought. */
export function colourNameOfKind({ kind, group, name }: TreeLabels, label: number): ColourName {
  const of = kind[label];
  if (of === 'root' || of === 'folded') return of;
  return colourNameOfFunc(name[label], KIND_GROUPS[group[label]]);
}

/** Red: more than in the other recording; blue: less. Full colour at `most`, a share. */
export function deltaColour(delta: number, most: number): string {
  if (Number.isNaN(delta) || most <= 0) return 'hsl(0 0% 82%)';
  const part = Math.min(1, Math.abs(delta) / most);
  // The eye tells small differences apart better where they are spread.
  const strength = Math.sqrt(part);
  const round = (value: number) => Math.round(value * 10) / 10;
  const hue = delta >= 0 ? 6 : 214;
  return `hsl(${hue} ${round(85 * strength)}% ${round(92 - 30 * strength)}%)`;
}
