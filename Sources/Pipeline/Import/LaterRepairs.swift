import ChangeLog
import Format
import Store

/// The logs in which an adopted file records all rows of a table again, or which lack the table.
final class LaterRepairs {
  private struct Question: Hashable {
    let table: String
    let file: String
  }

  private let chain: LogChain
  private let until: Point
  private var answers: [Question: Bool] = [:]

  init(_ chain: LogChain, until: Point) {
    self.chain = chain
    self.until = until
  }

  /// Whether a log after the given one records all rows of a table again or lacks the table, and
  /// belongs to the import.
  func contain(_ table: String, after file: LogFolder.File) throws -> Bool {
    let question = Question(table: table, file: file.path)
    if let answer = answers[question] { return answer }
    let answer = try search(table, after: file)
    answers[question] = answer
    return answer
  }

  private func search(_ table: String, after file: LogFolder.File) throws -> Bool {
    var names: Set<String> = [table]
    for log in chain.files where log.range.lowerBound > file.range.upperBound {
      switch until {
      case .head: break
      case .transaction(let last) where log.range.lowerBound <= last: break
      case .transaction, .time: return false
      }
      let schema = try chain.open(log, after: nil).header.schema
      guard schema.belongsToProgram else { return false }
      if !names.isDisjoint(with: schema.replaced ?? []) { return true }
      names = Set(
        schema.entities.filter { names.contains($0.originalName ?? $0.name) }.map(\.name)
      )
      if names.isEmpty { return true }
    }
    return false
  }
}
