import Changes

/// The prepared statements for sets of columns that are often updated together.
///
/// Preparing an UPDATE takes as long as running ten. A set gets a plan while there is room, or once
/// it is used often; ``AnyColumns`` serves the others. If there is no room left, plans that were
/// not used recently are dropped.
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

  /// The plan for some columns, which `make` creates if necessary; nil if they are not used often
  /// enough.
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
