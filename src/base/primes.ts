/**
 * Values beyond this are answered with it, the greatest prime below 2^32: a file may name any, trial division
 * takes its square root of steps, and from 2^53 on there is no next number.
 */
const GREATEST = 4_294_967_291;

/** The least prime that is not below `value`, at most `GREATEST`. */
export function primeFrom(value: number): number {
  let candidate = value >= 2 ? Math.min(Math.ceil(value), GREATEST) : 2;
  while (!isPrime(candidate)) candidate++;
  return candidate;
}

/** The greatest prime that is not above `value`, at least 2, at most `GREATEST`. */
export function primeUpTo(value: number): number {
  let candidate = value >= 2 ? Math.min(Math.floor(value), GREATEST) : 2;
  while (!isPrime(candidate)) candidate--;
  return candidate;
}

/** Trial division is quick up to `GREATEST`. */
function isPrime(value: number): boolean {
  for (let divisor = 2; divisor * divisor <= value; divisor++) {
    if (value % divisor === 0) return false;
  }
  return value >= 2;
}
