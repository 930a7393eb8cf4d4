// SHA-256 (FIPS 180-4) over bytes in memory, for hashes inside of documents that are made where
// there is no crypto module. Not for secrets, and not for megabytes per second.

const BLOCK_BYTES = 64;

/** The first 32 bits of the fractional part of `root(prime)`, of each of the first `count` primes. */
function fractionsOfPrimes(count: number, root: (prime: number) => number): Uint32Array {
  const fractions = new Uint32Array(count);
  let found = 0;
  for (let candidate = 2; found < count; candidate++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) {
      if (candidate % divisor === 0) isPrime = false;
    }
    if (isPrime) fractions[found++] = (root(candidate) % 1) * 2 ** 32;
  }
  return fractions;
}

const INITIAL_HASH = fractionsOfPrimes(8, Math.sqrt);
const ROUND_CONSTANTS = fractionsOfPrimes(64, Math.cbrt);

/** The 32 bytes of the hash. */
export function sha256(message: Uint8Array): Uint8Array {
  // Padding: one bit, zeros, and the length in bits as a big-endian u64 at a block's end.
  const paddedLength = Math.ceil((message.length + 9) / BLOCK_BYTES) * BLOCK_BYTES;
  const padded = new Uint8Array(paddedLength);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(paddedLength - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(paddedLength - 4, (message.length % 2 ** 29) * 8);

  const hash = INITIAL_HASH.slice();
  const schedule = new Uint32Array(64);
  for (let block = 0; block < paddedLength; block += BLOCK_BYTES) {
    for (let t = 0; t < 16; t++) schedule[t] = view.getUint32(block + 4 * t);
    addBlock(hash, schedule);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (let i = 0; i < 8; i++) digest.setUint32(4 * i, hash[i]);
  return new Uint8Array(digest.buffer);
}

/** One compression round; `schedule` holds the block in its first 16 words. */
function addBlock(hash: Uint32Array, schedule: Uint32Array): void {
  for (let t = 16; t < 64; t++) {
    const early = schedule[t - 15];
    const late = schedule[t - 2];
    const sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[t] = sigma1 + schedule[t - 7] + sigma0 + schedule[t - 16];
  }
  let [a, b, c, d, e, f, g, h] = hash as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let t = 0; t < 64; t++) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + sum1 + choice + ROUND_CONSTANTS[t] + schedule[t]) | 0;
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + sum0 + majority) | 0;
  }
  const working = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i++) hash[i] = hash[i] + working[i];
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
