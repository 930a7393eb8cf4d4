// Modules: live bindings of Node's own ones, import.meta, dynamic import.
import cp, { spawn } from 'child_process';
import fs, { readFileSync } from 'fs';
import mod, { createRequire } from 'module';
import vm, { Script } from 'vm';

console.log(fs.readFileSync === readFileSync, cp.spawn === spawn, vm.Script === Script);
console.log(mod.createRequire === createRequire, mod.Module === mod);
console.log(createRequire(import.meta.url)('./parts/answer.cjs'));
import('module').then((all) => console.log(Object.keys(all).sort().join()));
import('data:text/javascript,console.log("data:", typeof require)');
