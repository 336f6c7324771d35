import Changes
import SQLite

/// The text of an update of whichever columns, which is prepared once for all sets of them.
///
/// Each column has three parameters: a flag that is bound where the column is to be set, its new value,
/// and the one that it is expected to have. Nothing is bound for the columns that stay.
struct AnyColumns {
  /// Sets the columns of the row with the id that is the first parameter.
  let assignment: String
  /// That they are as expected.
  let expectation: String

  init(_ layout: EntityLayout) {
    let columns = layout.columns.enumerated().map { (ColumnIndex($0.offset), $0.element.quoted) }
    let assignments = columns.map {
      "\($1) = iif(?\(Self.flag($0)), ?\(Self.value($0)), \($1))"
    }
    assignment =
      "UPDATE \(layout.table) SET \(assignments.joined(separator: ", ")) WHERE \"id\" = ?1"
    expectation =
      columns
      .map { "(?\(Self.flag($0)) IS NULL OR \($1) IS ?\(Self.expected($0)))" }
      .joined(separator: " AND ")
  }

  static func flag(_ column: ColumnIndex) -> Int32 { 2 + 3 * Int32(clamping: column.number) }
  static func value(_ column: ColumnIndex) -> Int32 { flag(column) + 1 }
  static func expected(_ column: ColumnIndex) -> Int32 { flag(column) + 2 }
}
