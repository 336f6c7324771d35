import Changes

/// The SQL of one UPDATE that can set any of a table's columns, so that it is prepared only once.
///
/// In the statement, each column has three parameters: a flag that says whether the column is set,
/// the new value, and the expected value.
struct AnyColumns {
  let assignment: String
  /// The condition that the flagged columns have their expected values.
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
