import ChangeLog
import Foundation
import Pipeline
import PipelineTesting
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

/// The state of a log folder, a token and a store's history, and what an export then does.
struct TokenState: CustomTestStringConvertible, Sendable {
  /// The logs in the folder; two were exported, of transactions 1 to 4 and 5 to 8, unless the store
  /// was never exported.
  enum Logs: String { case never, none, first, both }
  /// What the token says.
  enum Token: String { case none, unreadable, atFirst, atBoth, otherDigest }
  /// What happened to the history of transactions 1 to 12.
  enum History: String {
    case whole, withoutSeven, withoutEight, withoutEighth, withoutNine, withoutTenth
    case olderCopy, olderCopyWithMore
  }
  enum Outcome: String {
    /// All of history is exported.
    case firstRun
    /// The logs start with a snapshot of the store.
    case snapshot
    /// Everything after the logs is exported.
    case resumes
    /// As `resumes`, with a token that was rebuilt from the logs, and a notice.
    case rebuildsToken
    case missingLogs, historyExpired, historyDiverged
  }

  let logs: Logs
  let token: Token
  let history: History
  let outcome: Outcome

  init(_ logs: Logs, _ token: Token, _ history: History, _ outcome: Outcome) {
    (self.logs, self.token, self.history, self.outcome) = (logs, token, history, outcome)
  }

  var testDescription: String { "logs \(logs), token \(token), history \(history): \(outcome)" }

  /// The rows of the table in docs/TOKENS.md.
  static let all: [TokenState] =
    [
      TokenState(.never, .none, .whole, .firstRun),
      TokenState(.never, .none, .withoutSeven, .snapshot),
      TokenState(.never, .none, .withoutTenth, .snapshot),
      TokenState(.none, .none, .whole, .missingLogs),
      TokenState(.none, .none, .withoutSeven, .missingLogs),
      TokenState(.none, .unreadable, .whole, .missingLogs),
      TokenState(.none, .atFirst, .whole, .missingLogs),
      TokenState(.none, .atBoth, .whole, .missingLogs),
      TokenState(.first, .none, .whole, .rebuildsToken),
      TokenState(.first, .unreadable, .whole, .rebuildsToken),
      TokenState(.first, .atFirst, .whole, .resumes),
      TokenState(.first, .atFirst, .withoutEight, .historyExpired),
      TokenState(.first, .atBoth, .whole, .missingLogs),
      TokenState(.both, .unreadable, .whole, .rebuildsToken),
      TokenState(.both, .otherDigest, .whole, .rebuildsToken),
      TokenState(.both, .otherDigest, .withoutEight, .rebuildsToken),
    ]
    + [History.whole, .withoutSeven, .withoutEight, .withoutEighth].flatMap {
      [
        TokenState(.both, .none, $0, .rebuildsToken),
        TokenState(.both, .atFirst, $0, .rebuildsToken),
        TokenState(.both, .atBoth, $0, .resumes),
      ]
    }
    + [Token.none, .atFirst, .atBoth].flatMap {
      [
        TokenState(.both, $0, .withoutNine, .historyExpired),
        TokenState(.both, $0, .withoutTenth, .historyExpired),
        TokenState(.both, $0, .olderCopy, .historyDiverged),
        TokenState(.both, $0, .olderCopyWithMore, .historyDiverged),
      ]
    }
}

@Suite("States of tokens")
struct TokenStateTests {
  @Test(
    "An export does for each state of the token what the table in the documents says.",
    arguments: TokenState.all
  )
  func export(_ state: TokenState) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "states of tokens")
      world.history.hasLargeValues = false
      let token = URL(fileURLWithPath: world.logs.token(of: world.source.identifier))
      try world.write(4)
      try world.export()
      let atFirst = try Data(contentsOf: token)
      try world.write(2)
      let older = folder.appendingPathComponent("older.store").path
      try copyStore(world.path, to: older)
      try world.write(2)
      let second = try world.export()
      try world.write(4)

      if state.logs != .both {
        try FileManager.default.removeItem(atPath: try #require(second.files.first))
      }
      if state.logs == .never {
        let connection = try Connection(path: world.path, mode: .readWrite)
        try connection.execute("DELETE FROM store_catalog WHERE key = 'exported'")
      }
      if state.logs == .none || state.logs == .never {
        for file in try world.logs.files(of: world.source.identifier, lineage: 0) {
          try FileManager.default.removeItem(atPath: file.path)
        }
      }
      try put(state.token, token, atFirst: atFirst)
      let store = try put(state.history, world, older)

      try check(state.outcome, ExportRequest(store: store, logs: world.logs), state)
    }
  }

  private func put(_ state: TokenState.Token, _ token: URL, atFirst: Data) throws {
    switch state {
    case .none: try FileManager.default.removeItem(at: token)
    case .unreadable: try Data("{".utf8).write(to: token)
    case .atFirst: try atFirst.write(to: token)
    case .atBoth: break
    case .otherDigest:
      var text = try String(contentsOf: token, encoding: .utf8)
      let digit = try #require(text.lastIndex { $0.isHexDigit })
      text.replaceSubrange(digit...digit, with: text[digit] == "0" ? "1" : "0")
      try text.write(to: token, atomically: false, encoding: .utf8)
    }
  }

  /// Returns the path of the store with that history.
  private func put(_ state: TokenState.History, _ world: World, _ older: String) throws -> String {
    switch state {
    case .whole: break
    case .withoutSeven: try world.source.deleteHistory([1...7])
    case .withoutEight: try world.source.deleteHistory([1...8])
    case .withoutEighth: try world.source.deleteHistory([8...8])
    case .withoutNine: try world.source.deleteHistory([1...9])
    case .withoutTenth: try world.source.deleteHistory([10...10])
    case .olderCopy: return older
    case .olderCopyWithMore:
      let store = try Store.open(.file(URL(fileURLWithPath: older)))
      let guest = try #require(worldSchema.index(of: "Guest"))
      for id in Int64(1000)..<1006 {
        try store.write(Author()) {
          try $0.insert(guest, id: id, values: Array(repeating: .null, count: 9))
        }
      }
      return older
    }
    return world.path
  }

  private func check(
    _ outcome: TokenState.Outcome,
    _ request: ExportRequest,
    _ state: TokenState
  ) throws {
    let result: ExportResult
    do {
      result = try Pipeline.export(request)
    } catch let error as PipelineError {
      #expect(error.code.rawValue == outcome.rawValue, "\(error)")
      return
    }
    #expect(result.to.transaction == result.head)
    #expect(try verify(VerifyRequest(logs: request.logs)).flatMap(\.findings).isEmpty)
    #expect((result.snapshot != nil) == (outcome == .snapshot))
    switch outcome {
    case .firstRun: #expect(result.from.transaction == 0 && result.notices.isEmpty)
    // The transaction proves the snapshot.
    case .snapshot: #expect(result.transactions == 1)
    case .resumes, .rebuildsToken:
      #expect(result.from.transaction == (state.logs == .first ? 4 : 8))
      #expect(result.notices.isEmpty == (outcome == .resumes))
    case .missingLogs, .historyExpired, .historyDiverged:
      Issue.record("the export succeeded")
    }
  }
}
