import Changes

/// What was prepared for sets of columns, of which a table has as many as its columns can be combined.
///
/// To prepare an update takes as long as ten updates, so that a set gets a plan of its own while there
/// is room, or when it was asked for often; for the others there is ``AnyColumns``. When there is no
/// room for another plan, those are forgotten that were not asked for since the last time.
struct ColumnPlans<Plan> {
  /// Half of how many are kept.
  private static var room: Int { 64 }
  /// So often a set is asked for before others make room for it.
  private static var often: Int { 8 }
  /// So many sets are counted.
  private static var counted: Int { 512 }

  private var recent: [[ColumnIndex]: Plan] = [:]
  private var older: [[ColumnIndex]: Plan] = [:]
  private var asked: [[ColumnIndex]: Int] = [:]
  private var last: (columns: [ColumnIndex], plan: Plan)?

  /// The plan for some columns, which is made where there is none; nil if it is not worth one.
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
