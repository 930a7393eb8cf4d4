// A class as Java's agents write it into perf's maps, and what stackcollapse scripts make of its `;`:
//
//   Ljava/lang/Thread;::run          perf-map-agent
//   Lorg/mozilla/Context;.call(…)V   perf-map-agent, older
//   Ljava/lang/Thread:::run          either of them in folded stacks
const CLASS = /^L([\w$]+(?:\/[\w$]+)*)[;:](?=::|\.)/;

/** `Ljava/lang/Thread;::run` without the signs of the class's type; any other name as it is. */
export function readJavaName(name: string): string {
  return name.startsWith('L') ? name.replace(CLASS, '$1') : name;
}
