// What `run.mjs` takes from here.

export { ERRORS, faultsOf, groupOf } from './cases.ts';
export { Bench } from './matrix.ts';
export { SCENARIOS } from './scenarios.ts';
