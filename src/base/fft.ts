// Hot: some fifty times per value.

/** The discrete Fourier transform in place, of as many values as a power of two (Cooley and Tukey, 1965). */
export function fft(real: Float64Array, imaginary: Float64Array): void {
  const { length } = real;
  reverseBits(real, imaginary);
  for (let size = 2; size <= length; size *= 2) {
    const half = size / 2;
    const stepReal = Math.cos((2 * Math.PI) / size);
    const stepImaginary = -Math.sin((2 * Math.PI) / size);
    for (let start = 0; start < length; start += size) {
      let turnReal = 1;
      let turnImaginary = 0;
      for (let k = start; k < start + half; k++) {
        const other = k + half;
        const re = real[other] * turnReal - imaginary[other] * turnImaginary;
        const im = real[other] * turnImaginary + imaginary[other] * turnReal;
        real[other] = real[k] - re;
        imaginary[other] = imaginary[k] - im;
        real[k] += re;
        imaginary[k] += im;
        const next = turnReal * stepReal - turnImaginary * stepImaginary;
        turnImaginary = turnReal * stepImaginary + turnImaginary * stepReal;
        turnReal = next;
      }
    }
  }
}

/** Puts each value where the bits of its index lead, read from the other end. */
function reverseBits(real: Float64Array, imaginary: Float64Array): void {
  const { length } = real;
  for (let i = 1, j = 0; i < length; i++) {
    let bit = length >> 1;
    for (; (j & bit) !== 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    const re = real[i];
    const im = imaginary[i];
    real[i] = real[j];
    imaginary[i] = imaginary[j];
    real[j] = re;
    imaginary[j] = im;
  }
}
