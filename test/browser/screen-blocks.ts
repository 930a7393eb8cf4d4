// Pictures of a window reduced to the mean colours of blocks of 8 × 8 px, kept as PNG files of a few kB.
// Fonts differ between machines: what is compared is a mean of 3 × 3 blocks.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Page } from 'playwright-core';

/** Mean colours, row by row: red, green, blue. */
export type Blocks = { readonly width: number; readonly height: number; readonly rgb: number[] };

/** Writes all pictures anew. */
export const WRITES = process.env.PERF_TS_WRITE_SCREENS === '1';

/** Of 255, summed over three colours: text over its page differs by more where it was moved. */
const LARGE_DIFFERENCE = 36;

/** Runs in a page of its own, for its canvas: the recording's page must not see it. */
const DECODE = `async ({ png, size }) => {
  const bytes = Uint8Array.from(atob(png), (byte) => byte.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const width = Math.floor(image.width / size);
  const height = Math.floor(image.height / size);
  const rgb = [];
  for (let row = 0; row < height; row++) for (let column = 0; column < width; column++) {
    for (let colour = 0; colour < 3; colour++) {
      let sum = 0;
      for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) {
        sum += data[4 * ((row * size + y) * image.width + column * size + x) + colour];
      }
      rgb.push(Math.round(sum / size / size));
    }
  }
  return { width, height, rgb };
}`;

const ENCODE = `async ({ width, height, rgb }) => {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  const image = context.createImageData(width, height);
  for (let at = 0; at < width * height; at++) {
    // Levels of 8 are more than is compared, and take half the bytes.
    for (let colour = 0; colour < 3; colour++) image.data[4 * at + colour] = rgb[3 * at + colour] & 0xf8;
    image.data[4 * at + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  const blob = await canvas.convertToBlob({ type: 'image/png' });
  return Array.from(new Uint8Array(await blob.arrayBuffer()));
}`;

/** Decodes and encodes pictures in a blank page beside the one under test. */
export class BlockDesk {
  readonly #desk: Page;
  constructor(desk: Page) {
    this.#desk = desk;
  }

  async photograph(page: Page): Promise<Blocks> {
    return this.#decode(await page.screenshot({ animations: 'disabled', caret: 'hide' }), 8);
  }

  /** What is kept at this path; null: nothing. */
  async read(path: string): Promise<Blocks | null> {
    return existsSync(path) ? this.#decode(readFileSync(path), 1) : null;
  }

  async write(path: string, blocks: Blocks): Promise<void> {
    mkdirSync(dirname(path), { recursive: true });
    const bytes = await this.#desk.evaluate<number[]>(`(${ENCODE})(${JSON.stringify(blocks)})`);
    writeFileSync(path, Uint8Array.from(bytes));
  }

  #decode(png: Buffer, size: number): Promise<Blocks> {
    const given = JSON.stringify({ png: png.toString('base64'), size });
    return this.#desk.evaluate<Blocks>(`(${DECODE})(${given})`);
  }
}

/** The share of blocks that differ visibly. */
export function differenceOf(before: Blocks, after: Blocks): number {
  if (before.width !== after.width || before.height !== after.height) return 1;
  const one = blur(before);
  const other = blur(after);
  let count = 0;
  for (let at = 0; at < one.length; at += 3) {
    let sum = 0;
    for (let colour = 0; colour < 3; colour++)
      sum += Math.abs(one[at + colour] - other[at + colour]);
    if (sum > LARGE_DIFFERENCE) count++;
  }
  return count / (one.length / 3);
}

/** The mean of each block and its neighbours. */
function blur({ width, height, rgb }: Blocks): Float64Array {
  const blurred = new Float64Array(rgb.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let colour = 0; colour < 3; colour++) {
        let sum = 0;
        let count = 0;
        for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++) {
          for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++) {
            sum += rgb[3 * (row * width + column) + colour];
            count++;
          }
        }
        blurred[3 * (y * width + x) + colour] = sum / count;
      }
    }
  }
  return blurred;
}
