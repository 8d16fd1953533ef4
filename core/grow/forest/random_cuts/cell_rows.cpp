#include "grow/forest/random_cuts/cell_rows.hpp"

#include <algorithm>  // for max, min
#include <cmath>      // for isnan
#include <limits>     // for numeric_limits

#include "grow/forest/random_cuts/lane_loops.hpp"

namespace tw {
namespace {

constexpr std::size_t kRowChunk = 2048;

bool fits_floats(const Column& column, std::size_t n_rows) {
  if (!column.values.data) return column.n_codes <= 1u << 24;
  switch (column.values.type) {
    case NumberType::f32:
    case NumberType::i8:
    case NumberType::i16:
    case NumberType::u8:
    case NumberType::u16:
      return true;
    default:
      break;
  }
  for (std::size_t row = 0; row < n_rows; ++row) {
    const double x = column.values.at(row);
    if (x == x && static_cast<double>(static_cast<float>(x)) != x) return false;
  }
  return true;
}

template <class Number, class At>
void write_column(std::size_t begin, std::size_t end, At at, Number* to, std::size_t step) {
  for (std::size_t row = begin; row < end; ++row, to += step) *to = static_cast<Number>(at(row)) + Number{0};  // no −0
}

// The numbers of an ordered column, read by a loop for its own type.
template <class Number>
void write_numbers(const Column& column, std::size_t begin, std::size_t end, Number* to, std::size_t step) {
  const Values& values = column.values;
  if (!values.data || values.missing)
    return write_column(begin, end, [&](std::size_t row) { return column.value(row); }, to, step);
  values.visit([&](auto zero) {
    using T = decltype(zero);
    write_column(begin, end, [&](std::size_t row) { return static_cast<double>(values.load<T>(row)); }, to, step);
  });
}

}  // namespace

bool fits_floats(const Table& table) {
  return std::all_of(table.columns.begin(), table.columns.end(),
                     [&](const Column& column) { return fits_floats(column, table.n_rows); });
}

template <class Number>
CellRows<Number> cells_by_rows(const Table& table, Workers& workers) {
  CellRows<Number> made;
  made.n_rows = table.n_rows, made.n_columns = table.columns.size();
  made.step = (made.n_columns + kLanes - 1) / kLanes * kLanes;
  made.columns.resize(made.n_columns);
  made.cells.resize(made.n_rows * made.step);
  std::vector<std::vector<std::uint16_t>> levels(made.n_columns);
  workers.run(made.n_columns, [&](std::size_t k, int) {
    const Column& column = table.columns[k];
    made.columns[k].kind = column.kind, made.columns[k].has_missing = column.has_missing;
    if (column.ordered()) return;
    levels[k].resize(made.n_rows);
    code_levels(column, made.n_rows, made.columns[k], levels[k].data());
  });
  for (const ForestColumn& column : made.columns) made.all_plain &= column.ordered() && !column.has_missing;
  workers.run((made.n_rows + kRowChunk - 1) / kRowChunk, [&](std::size_t chunk, int) {
    const std::size_t begin = chunk * kRowChunk, end = std::min(made.n_rows, begin + kRowChunk);
    for (std::size_t k = 0; k < made.n_columns; ++k) {
      Number* to = made.cells.data() + begin * made.step + k;
      const std::uint16_t* codes = levels[k].data();
      if (table.columns[k].ordered())
        write_numbers(table.columns[k], begin, end, to, made.step);
      else  // no level is missing, as no number is
        write_column(
            begin, end,
            [&](std::size_t row) { return codes[row] ? codes[row] : std::numeric_limits<double>::quiet_NaN(); }, to,
            made.step);
    }
  });
  return made;
}

template CellRows<float> cells_by_rows<float>(const Table&, Workers&);
template CellRows<double> cells_by_rows<double>(const Table&, Workers&);

}  // namespace tw
