import Changes
import SQLite

/// Puts the changes of rows in order.
extension RowOrder {
  func sort(_ rows: [Row]) throws {
    var events: [Int64: (table: Int, row: CapturedReference)] = [:]
    // For each change, the changes of the same rows that precede it.
    var preceding: [Int64: [Int64]] = [:]
    var nested: Set<Int64> = []
    for row in rows {
      let held = try made(self.events(of: row.chain), present: row.present)
      let chain = ChainOrder(held.map(\.step), end: row.present)
      let sorted = chain.order.map { held[$0] }
      for (place, event) in sorted.enumerated() {
        events[event.clock] = (row.table, event.row)
        if place > 0 { preceding[event.clock, default: []].append(sorted[place - 1].clock) }
        if chain.nested.contains(place) {
          nested.insert(event.clock)
          try join(event.clock, row.name)
        }
        guard chain.gaps.contains(place) else { continue }
        let after = event.step.before == RowState.absent ? nil : event.row
        try note(row, before: place > 0 ? sorted[place - 1] : nil, after: after, at: event.clock)
      }
      if chain.endsWithGap { try note(row, before: sorted.last, after: nil, at: nil) }
    }
    guard rows.count <= Self.most else { return }
    let slots = events.keys.sorted()
    // If the orders of two rows contradict each other, the captured order remains.
    guard let sorted = sorted(slots, preceding) else { return }
    for (slot, clock) in zip(slots, sorted) {
      guard slot != clock || nested.contains(clock), let (table, row) = events[clock] else {
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

  /// The changes of a row, without the rows that `REPLACE` could have deleted and did not delete.
  ///
  /// The row existed when it was captured before a possible replacement, and when it was captured so
  /// again. So it was replaced if the changes between insert it more often than they delete it.
  private func made(_ events: [Held], present: Int64?) throws -> [Held] {
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
      if let victim, inserted - deleted + (isGone ? 1 : 0) > 0 {
        try chains.noteReplaced(victim.clock)
        made.append(victim)
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
