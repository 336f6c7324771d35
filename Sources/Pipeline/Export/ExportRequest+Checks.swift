import ChangeLog
import Changes
import Store

/// The checks that an export makes before it writes anything. `status` makes them too, and says what
/// the export would say.
extension ExportRequest {
  /// The token of a store: where it is, how far it says that the store was exported, and what is wrong
  /// with it if it can't be read.
  struct TokenState {
    let path: String
    var point: HistoryPoint?
    var damage: (any Error)?
  }

  /// Reads the token of a store.
  func readTokenState(of identifier: String) throws -> TokenState {
    var state = TokenState(path: token ?? logs.token(of: identifier))
    do {
      state.point = try readToken(state.path)?.points[tokenName(identifier)]
    } catch  where isDamagedToken(error) {
      state.damage = error
    }
    return state
  }

  /// Fails if the folder lacks logs that the token or the store speaks of; the end is that of the logs.
  func checkLogs(
    _ token: TokenState,
    _ end: (lineage: Int64, transaction: Int64)?,
    _ reader: Reader
  ) throws {
    guard let end else {
      if let damage = token.damage {
        throw PipelineError(
          .missingLogs,
          "The token \(token.path) can't be read (\(damage)), and there are no logs of"
            + " \(store) in \(logs.path) to rebuild it from.",
          hint: "Name the folder that has the logs. \(newFolderHint)"
        )
      }
      if let point = token.point, point.transaction > 0, logs.partial == nil {
        throw missing(point, "there are no logs of the store in \(logs.path)", newFolderHint)
      }
      guard token.point == nil, try reader.remembersExport(filter: logs.partial) else { return }
      throw PipelineError(
        .missingLogs,
        "\(logs.path) has no \(logs.partial == nil ? "logs" : "logs with this filter") of \(store),"
          + " and the store was exported before.",
        hint: "Is the disk with the logs mounted? If so, name the folder that has them."
          + " \(newFolderHint)"
      )
    }
    guard let point = token.point, logs.partial == nil,
      (point.lineage, point.transaction) > (end.lineage, end.transaction)
    else { return }
    throw missing(
      point,
      "the logs in \(logs.path) end at transaction \(end.transaction)"
        + (point.lineage == end.lineage ? "" : " of lineage \(end.lineage)")
    )
  }

  private func missing(
    _ point: HistoryPoint,
    _ what: String,
    _ more: String = ""
  ) -> PipelineError {
    PipelineError(
      .missingLogs,
      "Logs are missing: the token says that \(store) was exported up to transaction"
        + " \(point.transaction), and \(what).",
      hint: "Bring the logs back, or name the folder that has them."
        + (more.isEmpty ? "" : " " + more)
    )
  }

  private var newFolderHint: String {
    logs.partial == nil
      ? "To start a new set of logs there, run “travelog export \(store) --to \(logs.path)"
        + " --new-folder”."
      : "To start a new set of logs there, export with the same filter and --new-folder."
  }

  /// Fails unless the history of a store has the transactions after a point, up to a last one.
  func checkContinuation(
    of identifier: String,
    after point: HistoryPoint,
    through last: Int64 = .max,
    _ reader: Reader
  ) throws {
    do {
      try reader.check(point, through: last)
    } catch let error as StoreError where error.code == .historyExpired {
      throw PipelineError(
        .historyExpired,
        "\(store) was exported up to transaction \(point.transaction), and transactions"
          + " after it are no longer in its history: \(error.message)",
        hint: logs.partial == nil
          ? "Run “travelog recover \(store) --to \(logs.path)”, which makes up what is missing."
          : "Move \(logs.storeFolder(identifier)) away. \(newFolderHint)"
      )
    } catch let error as StoreError where error.code == .historyDiverged {
      throw PipelineError(
        .historyDiverged,
        "The history of \(store) is not the one that was exported: \(error.message)",
        hint: "If the store was restored from an older copy, run “travelog recover"
          + " \(store) --to \(logs.path)”, which begins a new lineage."
      )
    }
  }
}
