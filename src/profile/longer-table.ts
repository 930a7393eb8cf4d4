/** A copy of `table` with room for `rows` more rows, which are zero in every column. */
export function longerTable<Table extends { readonly length: number }>(
  table: Table,
  rows: number,
): Table {
  const columns = Object.entries(table).map(([name, column]) => {
    if (!ArrayBuffer.isView(column)) return [name, column];
    const old = column as unknown as Float64Array;
    const grown = new (old.constructor as Float64ArrayConstructor)(old.length + rows);
    grown.set(old);
    return [name, grown];
  });
  return { ...Object.fromEntries(columns), length: table.length + rows } as Table;
}
