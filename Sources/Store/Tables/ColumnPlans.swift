import Format

/// The prepared statements for sets of columns that are often updated together.
///
/// Preparing an UPDATE takes as long as running ten. While there is room, each set of columns gets
/// a plan. Later, a set gets a plan only after it was used often, and plans that were not used
/// recently are dropped. ``AnyColumns`` updates the sets without a plan.
struct ColumnPlans<Plan> {
  /// Half of the maximum number of plans.
  private static var room: Int { 64 }
  /// The number of uses after which a set gets a plan although there is no room.
  private static var often: Int { 8 }
  /// The maximum number of sets whose uses are counted.
  private static var counted: Int { 512 }

  private var recent: [[ColumnIndex]: Plan] = [:]
  private var older: [[ColumnIndex]: Plan] = [:]
  private var asked: [[ColumnIndex]: Int] = [:]
  private var last: (columns: [ColumnIndex], plan: Plan)?

  /// The plan for some columns, which `make` creates if necessary; nil if the columns are not used
  /// often enough.
  mutating func plan(for columns: [ColumnIndex], _ make: () throws -> Plan) rethrows -> Plan? {
    if let last, last.columns == columns { return last.plan }
    let plan: Plan
    if let known = recent[columns] {
      plan = known
    } else if let known = older.removeValue(forKey: columns) {
      plan = known
      keep(plan, for: columns)
    } else {
      guard hasRoom || isAskedOften(columns) else { return nil }
      plan = try make()
      keep(plan, for: columns)
    }
    last = (columns, plan)
    return plan
  }

  private var hasRoom: Bool { older.isEmpty && recent.count < Self.room }

  private mutating func isAskedOften(_ columns: [ColumnIndex]) -> Bool {
    if asked.count == Self.counted { asked.removeAll(keepingCapacity: true) }
    asked[columns, default: 0] += 1
    guard asked[columns] == Self.often else { return false }
    asked[columns] = nil
    return true
  }

  private mutating func keep(_ plan: Plan, for columns: [ColumnIndex]) {
    if recent.count == Self.room {
      older = recent
      recent.removeAll()
    }
    recent[columns] = plan
  }
}

/// The SQL of one UPDATE that can set any of a table's columns, so only one statement is prepared.
///
/// In the statement, each column has three parameters: a flag that says whether the column is set,
/// the new value, and the expected value.
struct AnyColumns {
  /// The number of the first parameter; those before it find the row.
  let first: Int32

  func assignment(_ layout: EntityLayout, where condition: String) -> String {
    let settings = columns(of: layout).map {
      "\($1) = iif(?\(flag($0)), ?\(value($0)), \($1))"
    }
    return "UPDATE OR ABORT \(layout.table) SET \(settings.joined(separator: ", "))"
      + " WHERE \(condition)"
  }

  /// The condition that the flagged columns have their expected values.
  func expectation(_ layout: EntityLayout) -> String {
    columns(of: layout)
      .map { "(?\(flag($0)) IS NULL OR \($1) IS ?\(expected($0)))" }
      .joined(separator: " AND ")
  }

  private func columns(of layout: EntityLayout) -> [(ColumnIndex, String)] {
    layout.columns.enumerated().filter { layout.isWritten($0.element) }
      .map { (ColumnIndex($0.offset), $0.element.quoted) }
  }

  func flag(_ column: ColumnIndex) -> Int32 { first + 3 * Int32(clamping: column.number) }
  func value(_ column: ColumnIndex) -> Int32 { flag(column) + 1 }
  func expected(_ column: ColumnIndex) -> Int32 { flag(column) + 2 }
}
