/** Files in which scripts stand beside markup, from which a compiler makes one module. */
const COMPONENT = /\.(?:svelte|vue|astro)$/;
const SCRIPT = /(<script\b[^>]*>)([\s\S]*?)<\/script\s*>/gi;
/** The script of an Astro component stands above its markup, between two lines of dashes. */
const FRONTMATTER = /^(\s*---)([\s\S]*?)^\s*---/m;

export const isComponent = (path: string): boolean => COMPONENT.test(path);

/** The scripts of a component, at the places that they have in its text: all else is blank. */
export function scriptsOfComponent(text: string, path: string): string {
  const isAstro = path.endsWith('.astro');
  let scripts = '';
  for (const { index, 1: head, 2: script } of isAstro ? frontmatter(text) : text.matchAll(SCRIPT)) {
    const start = index + head.length;
    scripts += blank(text.slice(scripts.length, start)) + script;
  }
  return scripts + blank(text.slice(scripts.length));
}

function frontmatter(text: string): RegExpExecArray[] {
  const found = FRONTMATTER.exec(text);
  return found === null || found.index !== 0 ? [] : [found];
}

const blank = (text: string): string => text.replace(/[^\n\r\u2028\u2029]/g, ' ');
