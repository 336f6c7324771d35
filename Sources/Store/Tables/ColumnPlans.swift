import Changes

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
