/** Of the normal distribution: 95 % lie within so many standard deviations. */
export const Z95 = 1.959964;
