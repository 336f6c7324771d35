/// Counts changes by day, hour and author, for a limited number of days.
struct DayTally {
  /// The maximum number of days, enough for 22 years with changes on every day.
  private static let limit = 8192
  /// The maximum number of authors that are counted separately on each day.
  private static let authorLimit = 256

  private struct Entry {
    var transactions: Int64 = 0
    var changes = ChangeCounts()
    var hours = [Int64](repeating: 0, count: 24)
    /// The number of changes, with the author's index as the key.
    var authors: [UInt16: Int64] = [:]
  }

  private var entries: [Int: Entry] = [:]
  private var authors: [String?: UInt16] = [:]
  private(set) var omitted = ChangeCounts()

  /// Counts the changes of a transaction; if the transaction's time can't be read, its changes are
  /// not counted for any day.
  mutating func add(
    _ time: (day: Int, second: Int)?,
    author: String?,
    changes: ChangeCounts
  ) {
    guard let time, entries[time.day] != nil || entries.count < Self.limit else {
      return omitted += changes
    }
    if authors[author] == nil, authors.count < Self.authorLimit {
      authors[author] = UInt16(authors.count)
    }
    var entry = entries.removeValue(forKey: time.day) ?? Entry()
    entry.transactions += 1
    entry.changes += changes
    entry.hours[min(max(time.second / 3600, 0), 23)] += changes.all
    if let index = authors[author] { entry.authors[index, default: 0] += changes.all }
    entries[time.day] = entry
  }

  /// The days in order, each with the changes of the authors in the ranking and the changes of all
  /// other authors.
  func days(authors ranking: Ranking) -> [AuditedDay] {
    let indices = ranking.entries.map { authors[$0.name] }
    return entries.sorted { $0.key < $1.key }.map { day, entry in
      let ranked = indices.map { $0.flatMap { entry.authors[$0] } ?? 0 }
      return AuditedDay(
        day: text(ofDay: day),
        transactions: entry.transactions,
        changes: entry.changes,
        hours: entry.hours,
        authors: ranked + [entry.changes.all - ranked.reduce(0, +)]
      )
    }
  }
}
