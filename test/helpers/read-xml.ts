/** An element of XML; `text` is what stands directly in it. */
export type XmlElement = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
};

const CHARACTERS = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
const TAG = /<(\/?)([a-z]+)((?: [a-zA-Z-]+="[^"<]*")*)(\/?)>/y;
const TEXT = /[^<]*/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/**
 * Reads the XML of elements, attributes in double quotes and text: no comment, no CDATA, no processing instruction, no
 * entity but four. Throws for all else, and for what is not well-formed.
 */
export function readXml(source: string): XmlElement {
  if (!CHARACTERS.test(source)) throw new Error('a character that XML 1.0 does not have');
  const document: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [document];
  let at = 0;
  while (at < source.length) {
    const parent = open.at(-1) as XmlElement;
    TEXT.lastIndex = at;
    parent.text += unescaped(TEXT.exec(source)?.[0] ?? '');
    at = TEXT.lastIndex;
    if (at === source.length) break;
    TAG.lastIndex = at;
    const [, closes, name, attributes, isEmpty] = TAG.exec(source) ?? [];
    if (name === undefined) throw new Error(`no tag: ${source.slice(at, at + 60)}`);
    at = TAG.lastIndex;
    if (closes !== '') {
      if (open.pop()?.name !== name) throw new Error(`</${name}> ends no element`);
      continue;
    }
    const pairs = [...attributes.matchAll(/ ([^=]+)="([^"]*)"/g)];
    const element: XmlElement = {
      name,
      attributes: Object.fromEntries(pairs.map(([, key, value]) => [key, unescaped(value)])),
      children: [],
      text: '',
    };
    parent.children.push(element);
    if (isEmpty === '') open.push(element);
  }
  const [root] = document.children;
  if (open.length !== 1 || document.children.length !== 1 || document.text.trim() !== '') {
    throw new Error('not one element');
  }
  return root as XmlElement;
}

function unescaped(text: string): string {
  return text.replace(/&(\w*;?)/g, (_, entity: string) => {
    const character = ENTITIES[entity.slice(0, -1)];
    if (!entity.endsWith(';') || character === undefined) throw new Error(`entity &${entity}`);
    return character;
  });
}
