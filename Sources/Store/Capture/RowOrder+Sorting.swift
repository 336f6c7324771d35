import Format
import SQLite

/// Puts the changes of rows in order.
extension RowOrder {
  /// The changes of a row that were made, and their order.
  private struct Order {
    let row: Row
    let changes: [Held]
    let chain: ChainOrder

    var sorted: [Held] { chain.order.map { changes[$0] } }
  }

  func sort(_ rows: [Row]) throws {
    let orders = try rows.map { row in
      let made = try made(self.events(of: row.chain), present: row.present)
      return Order(row: row, changes: made, chain: ChainOrder(made.map(\.step), end: row.present))
    }
    if rows.count <= Self.most, let slots = slots(orders) { return try record(orders, slots) }
    // The orders of two rows contradict each other, so the captured order remains.
    try record(
      orders.map { order in
        let chain = ChainOrder(
          order.changes.map(\.step),
          end: order.row.present,
          keepsOrder: true
        )
        return Order(row: order.row, changes: order.changes, chain: chain)
      },
      []
    )
  }

  /// The clocks of the changes in captured order, each with the clock of the change that is made
  /// there; nil if the orders of two rows contradict each other.
  private func slots(_ orders: [Order]) -> [(slot: Int64, clock: Int64)]? {
    // For each change, the changes of the same rows that precede it.
    var preceding: [Int64: [Int64]] = [:]
    for order in orders {
      let sorted = order.sorted
      for (change, before) in zip(sorted.dropFirst(), sorted) {
        preceding[change.clock, default: []].append(before.clock)
      }
    }
    let clocks = Set(orders.flatMap { $0.changes.map(\.clock) }).sorted()
    return sorted(clocks, preceding).map { Array(zip(clocks, $0)) }
  }

  private func record(_ orders: [Order], _ slots: [(slot: Int64, clock: Int64)]) throws {
    var changes: [Int64: (table: Int, row: CapturedReference)] = [:]
    var nested: Set<Int64> = []
    for order in orders {
      let sorted = order.sorted
      for (place, change) in sorted.enumerated() {
        changes[change.clock] = (order.row.table, change.row)
        if order.chain.nested.contains(place) {
          nested.insert(change.clock)
          try join(change.clock, order.row.name)
        }
        guard order.chain.gaps.contains(place) else { continue }
        let after = change.step.before == RowState.absent ? nil : change.row
        try note(
          order.row,
          before: place > 0 ? sorted[place - 1] : nil,
          after: after,
          at: change.clock
        )
      }
      if order.chain.endsWithGap { try note(order.row, before: sorted.last, after: nil, at: nil) }
    }
    for (slot, clock) in slots {
      guard slot != clock || nested.contains(clock), let (table, row) = changes[clock] else {
        continue
      }
      try connection.run(
        "INSERT INTO place VALUES (?1, ?2, ?3, ?4, ?5)",
        values: [
          .integer(slot), .integer(Int64(table)), .integer(row.number), .integer(clock),
          .integer(nested.contains(clock) ? 1 : 0),
        ]
      )
    }
  }

  private func note(_ row: Row, before: Held?, after: CapturedReference?, at clock: Int64?) throws {
    let adding = try connection.cached("INSERT INTO gap (clock, origin, name) VALUES (?1, ?2, ?3)")
    try adding.bind(1, clock.map { .integer($0) } ?? .null)
    try adding.bind(2, Int64(row.table))
    try row.name.bytes.withUnsafeBytes { try adding.bind(3, blob: $0) }
    try adding.run()
    let gap = connection.lastInsertedID
    // The captured rows can be deleted before the gap is recorded, so their values are copied.
    let reference = before.flatMap { $0.step.after == RowState.absent ? nil : $0.row }
    for (isAfter, reference) in [(false, reference), (true, after)] {
      guard let reference, let values = try values(reference, !isAfter, row.table) else { continue }
      for (place, value) in values.enumerated() {
        try connection.run(
          "INSERT INTO gap_value VALUES (?1, ?2, ?3, ?4)",
          values: [
            .integer(gap), .integer(isAfter ? 1 : 0), .integer(Int64(place)), value,
          ]
        )
      }
    }
  }

  private func join(_ clock: Int64, _ name: RowName) throws {
    let adding = try connection.cached("INSERT OR IGNORE INTO joined VALUES (?1, ?2)")
    try adding.bind(1, clock)
    try name.bytes.withUnsafeBytes { try adding.bind(2, blob: $0) }
    try adding.run()
  }

  /// The changes of a row, without updates that changed no value, and without the rows that
  /// `REPLACE` could have deleted and did not delete.
  ///
  /// The row existed when it was captured before a possible replacement, and when it was captured so
  /// again. So it was replaced if the changes between insert it more often than they delete it.
  private func made(_ events: [Held], present: Int64?) throws -> [Held] {
    let unchanged = events.filter { $0.step.before == $0.step.after }
    for event in unchanged {
      try connection.run("INSERT INTO unchanged VALUES (?1)", values: [.integer(event.clock)])
    }
    let events = events.filter { $0.step.before != $0.step.after }
    var made: [Held] = []
    var next = 0
    while next < events.count {
      let victim = events[next].kind == .victim ? events[next] : nil
      if victim != nil { next += 1 }
      let end = events[next...].firstIndex { $0.kind == .victim } ?? events.count
      let changes = events[next..<end]
      next = end
      let inserted = changes.count { $0.step.before == RowState.absent }
      let deleted = changes.count { $0.step.after == RowState.absent }
      let isGone = end == events.count && present == RowState.absent
      if let victim {
        let isReplaced = inserted - deleted + (isGone ? 1 : 0) > 0
        try chains.noteReplaced(victim.clock, isReplaced)
        if isReplaced { made.append(victim) }
      }
      made += changes
    }
    return made
  }

  /// Sorts clocks so that each one follows those that precede it; nil if this is impossible.
  private func sorted(_ clocks: [Int64], _ preceding: [Int64: [Int64]]) -> [Int64]? {
    var sorted: [Int64] = []
    var isDone: [Int64: Bool] = [:]
    for clock in clocks {
      var stack = [clock]
      while let next = stack.last {
        guard isDone[next] != true else {
          stack.removeLast()
          continue
        }
        let missing = (preceding[next] ?? []).filter { isDone[$0] != true }
        guard missing.isEmpty else {
          // A change that waits for itself is in a circle.
          guard isDone.updateValue(false, forKey: next) == nil else { return nil }
          stack += missing
          continue
        }
        isDone[next] = true
        sorted.append(next)
        stack.removeLast()
      }
    }
    return sorted
  }
}
