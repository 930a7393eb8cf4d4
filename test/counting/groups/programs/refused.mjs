// Opens a group for user code, then one for kernel code, and prints what the second one's error says
// and how many descriptors it left. argv: the built library.
import { readdirSync } from 'node:fs';

const { openGroup } = await import(process.argv[2]);
const openFds = () => readdirSync('/proc/self/fd').length;

openGroup(['page-faults'], { excludeKernel: true }).close();
const before = openFds();
try {
  openGroup({ clock: 'task-clock:u', faults: 'page-faults' });
} catch ({ name, code, event, field }) {
  console.log(JSON.stringify({ name, code, event, field, left: openFds() - before }));
}
