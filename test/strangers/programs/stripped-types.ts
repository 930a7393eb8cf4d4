// A program of TypeScript whose types Node strips.
type Row = { readonly name: string };
const rows: readonly Row[] = [{ name: 'first' }];
console.log(rows.map(({ name }): string => name).join());
try {
  (null as unknown as Row).name;
} catch (error) {
  console.log((error as Error).stack?.split('\n').slice(0, 2).join('\n'));
}
