/// Counts occurrences of a finding by author and week, for a limited number of both.
struct GroupTally {
  private static let limit = 4096

  private struct Key: Hashable {
    var author: String?
    var monday: Int
  }

  private var counts: [Key: Int64] = [:]

  /// Counts an occurrence on a day, unless its time can't be read or the limit is reached.
  mutating func add(_ author: String?, day: Int?) {
    guard let day else { return }
    // Day 0 is the first of January 1970, which was a Thursday.
    let key = Key(author: author.map(NameTally.shortened), monday: day - ((day + 3) % 7 + 7) % 7)
    guard counts[key] != nil || counts.count < Self.limit else { return }
    counts[key, default: 0] += 1
  }

  var all: [AuditFinding.Group] {
    var groups: [String?: AuditFinding.Group] = [:]
    for (key, count) in counts.sorted(by: { $0.key.monday < $1.key.monday }) {
      groups[key.author, default: AuditFinding.Group(author: key.author)].count += count
      let week = AuditFinding.Week(day: text(ofDay: key.monday), count: count)
      groups[key.author]?.weeks.append(week)
    }
    return groups.values.sorted { ($1.count, $0.author ?? "") < ($0.count, $1.author ?? "") }
  }
}
