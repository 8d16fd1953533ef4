// A row is an object by column name (what is not there is missing), or an array in the order of `columns`.
function encode(row) {
  return columns.map((column, i) => {
    const value = Array.isArray(row) ? row[i] : row[column.name];
    if (value === null || value === undefined) return NaN;
    if (column.levels === undefined) return value instanceof Date ? value.getTime() * column.perMillisecond : Number(value);
    return column.levels.get(value) ?? NaN;
  });
}

