/** The least prime that is not below `value`. */
export function primeFrom(value: number): number {
  let candidate = Math.max(2, Math.ceil(value));
  while (!isPrime(candidate)) candidate++;
  return candidate;
}

/** The greatest prime that is not above `value`, at least 2. */
export function primeUpTo(value: number): number {
  let candidate = Math.max(2, Math.floor(value));
  while (!isPrime(candidate)) candidate--;
  return candidate;
}

/** By trial division: up to some 10⁹ that is at once. */
function isPrime(value: number): boolean {
  for (let divisor = 2; divisor * divisor <= value; divisor++) {
    if (value % divisor === 0) return false;
  }
  return value >= 2;
}
