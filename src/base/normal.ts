/** Standard deviations of a normal distribution within which 95 % of it lie. */
export const Z95 = 1.959964;
