import { KIND_GROUPS } from '../../../src/formats/export/kind-group.ts';
import { element } from '../dom/dom.ts';
import { groupColour } from '../kinds.ts';
import { type LaneColours, readLaneColours } from '../tracks/lane-paint.ts';

/** The colours that a chart is drawn with. Canvases know nothing of `light-dark()` and variables. */
export type ChartColours = {
  /** Colours by row of `KIND_GROUPS`. */
  readonly groups: readonly string[];
  /** Text on boxes. */
  readonly text: string;
  /** The ground behind the boxes, and text on it. */
  readonly page: string;
  readonly quiet: string;
  readonly line: string;
  readonly lanes: LaneColours;
  readonly accent: string;
  /** The frame around the box with the cursor. */
  readonly cursor: string;
};

/** The colours of the style sheet as they are now; what is no kind of code has those that a person forced. */
export function readChartColours(of: HTMLElement): ChartColours {
  const probe = element('span', 'colour-probe');
  of.append(probe);
  const read = (colour: string) => {
    probe.style.color = colour;
    return getComputedStyle(probe).color;
  };
  const isForced = window.matchMedia('(forced-colors: active)').matches;
  const colours = {
    groups: KIND_GROUPS.map((group) => read(groupColour(group))),
    text: read('var(--kind-text, #1b1a18)'),
    page: read(isForced ? 'Canvas' : 'var(--page)'),
    quiet: read(isForced ? 'CanvasText' : 'var(--quiet)'),
    line: read(isForced ? 'GrayText' : 'var(--line)'),
    lanes: readLaneColours((name) => read(`var(--${name})`)),
    accent: read(isForced ? 'Highlight' : 'var(--accent)'),
    cursor: read(isForced ? 'CanvasText' : 'var(--text)'),
  };
  probe.remove();
  return colours;
}
