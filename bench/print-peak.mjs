// Loaded in front of a program by `node --import`: at its end, the most memory that it had resident goes
// into the file that PEAK_FILE names, in bytes.

import { writeFileSync } from 'node:fs';

process.on('exit', () => {
  const path = process.env.PEAK_FILE;
  if (path !== undefined) writeFileSync(path, String(process.resourceUsage().maxRSS * 1024));
});
