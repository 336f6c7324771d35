/// What was prepared for sets of columns, of which a table has as many as its columns can be combined.
///
/// So many are kept, and no more: when there is no room for another, all are forgotten.
struct ColumnPlans<Plan> {
  private static var room: Int { 256 }

  private var plans: [[Int]: Plan] = [:]
  private var last: (columns: [Int], plan: Plan)?

  /// The plan for some columns, which is made where there is none.
  mutating func plan(for columns: [Int], _ make: () throws -> Plan) rethrows -> Plan {
    if let last, last.columns == columns { return last.plan }
    let plan = try plans[columns] ?? make()
    if plans.count == Self.room, plans[columns] == nil { plans.removeAll() }
    plans[columns] = plan
    last = (columns, plan)
    return plan
  }
}
