/// Counts changes by name, for a limited number of names.
///
/// The number of names needs a limit, because a forged history can contain any number of names.
package struct NameTally {
  /// The maximum number of names in a ranking.
  static let shown = 20
  private static let limit = 4096
  /// The maximum length of a name.
  private static let length = 200

  private var entries: [String?: Ranking.Entry] = [:]
  private var others = Ranking.Entry()
  private var isOver = false

  package init() {}

  /// The number of names that are counted separately.
  var count: Int { entries.count }

  package mutating func add(_ name: String?, changes: ChangeCounts) {
    let name = name.map(Self.shortened)
    guard entries[name] != nil || entries.count < Self.limit else {
      isOver = true
      others.transactions += 1
      others.changes += changes
      return
    }
    entries[name, default: Ranking.Entry(name: name)].transactions += 1
    entries[name]?.changes += changes
  }

  /// A name that is not longer than the maximum length.
  static func shortened(_ name: String) -> String {
    name.utf8.count <= length ? name : "\(name.prefix(length / 4))…"
  }

  /// The names with the most changes, and the sum of all other names.
  package var ranking: Ranking {
    let sorted = entries.values.sorted {
      ($1.changes.all, $1.transactions, $0.name ?? "")
        < ($0.changes.all, $0.transactions, $1.name ?? "")
    }
    var ranking = Ranking()
    ranking.entries = Array(sorted.prefix(Self.shown))
    var rest = others
    for entry in sorted.dropFirst(Self.shown) {
      rest.transactions += entry.transactions
      rest.changes += entry.changes
    }
    ranking.otherNames = Int64(max(0, sorted.count - Self.shown)) + (isOver ? 1 : 0)
    ranking.isMinimum = isOver
    if rest.transactions > 0 { ranking.others = rest }
    return ranking
  }
}
