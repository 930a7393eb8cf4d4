/** Bytes [from, to), counted from the start of a part. */
export type Window = { readonly from: number; readonly to: number };

/** Up to so many bytes a part is shown as a whole: some 4000 instructions. */
const WHOLE_BYTES = 16 << 10;
/** Bytes before and behind a sample that are shown of a longer one. */
const MARGIN_BYTES = 192;
/** Places with samples that are shown of a longer one. */
const MOST_PLACES = 100;

/**
 * Which bytes of a part of `size` bytes are shown: all of a short one, of a long one what is around
 * the places with most samples. Ascending, without touching each other.
 */
export function chooseWindows(
  size: number,
  offsets: readonly number[],
  samples: readonly number[],
): readonly Window[] {
  if (size <= WHOLE_BYTES) return [{ from: 0, to: size }];
  const places = [...offsets.keys()]
    .sort((a, b) => samples[b] - samples[a])
    .slice(0, MOST_PLACES)
    .map((index) => offsets[index])
    .sort((a, b) => a - b);
  const windows: { from: number; to: number }[] = [];
  for (const place of places) {
    const from = Math.max(0, place - MARGIN_BYTES);
    const to = Math.min(size, place + MARGIN_BYTES);
    const last = windows.at(-1);
    if (last !== undefined && from <= last.to) last.to = to;
    else windows.push({ from, to });
  }
  return windows;
}
