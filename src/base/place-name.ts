import { formatAddress } from './u64.ts';

const PLACE_NAME = /^sub_[0-9a-f]+$/;

/**
 * The name of a function that has none, by where it begins as written in its file: `sub_1139`. Nobody gave it
 * that name: it is only known where the function begins and ends, and it is another one in the next build.
 */
export function placeName(fileAddress: number): string {
  return `sub_${formatAddress(fileAddress).replace(/^0x/, '')}`;
}

export function isPlaceName(name: string): boolean {
  return PLACE_NAME.test(name);
}
