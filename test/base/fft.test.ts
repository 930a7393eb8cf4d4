import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fft } from '../../src/base/fft.ts';

/** By the definition. */
function transformed(real: Float64Array, imaginary: Float64Array) {
  const { length } = real;
  const at = (j: number) => {
    let re = 0;
    let im = 0;
    for (let k = 0; k < length; k++) {
      const angle = (-2 * Math.PI * j * k) / length;
      re += real[k] * Math.cos(angle) - imaginary[k] * Math.sin(angle);
      im += real[k] * Math.sin(angle) + imaginary[k] * Math.cos(angle);
    }
    return { re, im };
  };
  return Array.from({ length }, (_, j) => at(j));
}

test('the transform is the sum that defines it, for every power of two', () => {
  const values = (size: number) =>
    fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: size, maxLength: size });
  const drawn = fc.integer({ min: 0, max: 6 }).chain((bits) => {
    const size = 2 ** bits;
    return fc.tuple(values(size), values(size));
  });
  fc.assert(
    fc.property(drawn, ([re, im]) => {
      const real = Float64Array.from(re);
      const imaginary = Float64Array.from(im);
      const expected = transformed(real, imaginary);
      fft(real, imaginary);
      expected.forEach((value, j) => {
        expect(real[j]).toBeCloseTo(value.re, 6);
        expect(imaginary[j]).toBeCloseTo(value.im, 6);
      });
    }),
  );
});
