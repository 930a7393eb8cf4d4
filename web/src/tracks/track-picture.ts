import { element } from '../dom/dom.ts';
import type { Range } from '../state/state.ts';
import type { Track, TracksResult } from '../worker/messages/track-messages.ts';
import type { TrackColours } from './track-colours.ts';
import { cellsOfColumns, paintLosses, paintTrack, paintUnsampled } from './track-paint.ts';

export type PictureOptions = {
  readonly window: Range;
  /** Pixels of the page. */
  readonly width: number;
  readonly trackHeight: number;
  /** The weight per nanosecond that fills the height of a track. */
  readonly fullOf: (track: Track) => number;
  readonly isDimmed: (track: Track) => boolean;
  readonly colours: TrackColours;
};

/**
 * One track below the other, painted pixel by pixel: a column takes the cell under its middle. So a
 * result for another window is stretched, until the one for this window is there.
 */
export class TrackPicture {
  readonly root = element('canvas');
  /** Kept from one picture to the next: it is a large one. */
  #image: ImageData | null = null;

  draw(result: TracksResult, options: PictureOptions): void {
    const { window, width, trackHeight, fullOf, isDimmed, colours } = options;
    const ratio = globalThis.window.devicePixelRatio || 1;
    const columns = Math.max(1, Math.round(width * ratio));
    const height = Math.round(trackHeight * ratio);
    const image = this.#fit(columns, Math.max(1, height * result.tracks.length));
    this.root.style.width = `${width}px`;
    this.root.style.height = `${trackHeight * result.tracks.length}px`;
    const pixels = new Uint32Array(image.data.buffer);
    const cells = cellsOfColumns(result.grid, window, columns);
    for (const [index, track] of result.tracks.entries()) {
      const area = { pixels, width: columns, top: index * height, height, ratio };
      const cellNs = result.grid.cellNs;
      const full = { full: fullOf(track) * cellNs, fullWaitNs: cellNs * waitersOf(track, result) };
      const paint = isDimmed(track) ? colours.dimmed : colours.bright;
      paintTrack(area, track, cells, full, paint, colours.dimmed);
    }
    if (result.unsampled !== null) {
      const area = { pixels, width: columns, top: 0, height: image.height, ratio };
      paintUnsampled(area, result.unsampled, cells, colours.bright.paused);
    }
    if (result.lost !== null) {
      const area = { pixels, width: columns, top: 0, height: image.height, ratio };
      paintLosses(area, result.lost, cells, colours.bright.lost);
    }
    this.root.getContext('2d')?.putImageData(image, 0, 0);
  }

  #fit(width: number, height: number): ImageData {
    if (this.#image?.width !== width || this.#image.height !== height) {
      this.#image = new ImageData(width, height);
      this.root.width = width;
      this.root.height = height;
    }
    return this.#image;
  }
}

/** How many threads wait where the hatching fills the height. */
function waitersOf({ rows: { length } }: Track, { areWaits }: TracksResult): number {
  // Of several threads some always wait; that is only drawn where it was asked for.
  return length === 1 || areWaits ? length : Number.POSITIVE_INFINITY;
}
