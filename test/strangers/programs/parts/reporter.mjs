export default async function* report(source) {
  for await (const { type, data } of source) {
    if (type === 'test:pass' || type === 'test:fail') yield `${type} ${data.name}\n`;
  }
}
