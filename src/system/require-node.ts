// Imported first by the library's entry, for this check alone: modules are evaluated in the order in
// which they are imported.

import { whyNodeTooOld } from './node-version.ts';

const tooOld = whyNodeTooOld();
if (tooOld !== null) throw new Error(tooOld);
