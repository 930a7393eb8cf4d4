/** Groups of functions by owner: few enough that colours tell them apart. In the order of the legend. */
export const KIND_GROUPS = [
  /** The program's functions: JavaScript outside node_modules, or those of a native executable. */
  'own',
  /** JavaScript of node_modules. */
  'dependency',
  /** Node's JavaScript and C++. */
  'node',
  /** V8's work for a program: compilers, parser, built-ins, runtime. */
  'v8',
  'gc',
  /** C and C++ libraries, libuv among them. */
  'native',
  'kernel',
  /** Functions without names, guests, and what was lost. */
  'unknown',
] as const;
export type KindGroup = (typeof KIND_GROUPS)[number];
