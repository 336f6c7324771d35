import ChangeLog
import Format
import Store

/// These checks run before an export writes anything. `status` reports their errors.
extension ExportRequest {
  /// The token of a store: its path, the exported point, and the error if the token can't be read.
  struct TokenState {
    let path: String
    var point: HistoryPoint?
    var damage: (any Error)?
  }

  func readTokenState(of identifier: String) throws -> TokenState {
    var state = TokenState(path: token ?? logs.token(of: identifier))
    do {
      state.point = try readToken(state.path)?.points[tokenName(identifier)]
    } catch  where isDamagedToken(error) {
      state.damage = error
    }
    return state
  }

  /// Throws if the folder lacks logs that exist according to the token or the store.
  func checkLogs(
    _ token: TokenState,
    end: (lineage: Int64, transaction: Int64)?,
    reader: Reader
  ) throws {
    guard let end else {
      if let damage = token.damage {
        throw PipelineError(.missingLogs) {
          "The token \(token.path) can't be read (\(damage)), and there are no logs of \(store) in"
            + " \(logs.path) to rebuild the token from."
            + "\nName the folder with the logs. \(startNewFolder)"
        }
      }
      if let point = token.point, point.transaction > 0, logs.partial == nil {
        throw PipelineError(.missingLogs) {
          "Logs are missing: the token says that \(store) was exported up to transaction"
            + " \(point.transaction), but there are no logs of the store in \(logs.path)."
            + "\nCopy the logs back into the folder, or name the right folder. \(startNewFolder)"
        }
      }
      guard token.point == nil, try reader.remembersExport(filter: logs.partial) else { return }
      throw PipelineError(.missingLogs) {
        "\(logs.path) has no \(logs.partial == nil ? "logs" : "logs with this filter") of \(store),"
          + " although the store was exported before."
          + "\nIs the disk with the logs mounted? If it is, name the right folder."
          + " \(startNewFolder)"
      }
    }
    guard let point = token.point, logs.partial == nil,
      (point.lineage, point.transaction) > (end.lineage, end.transaction)
    else { return }
    throw PipelineError(.missingLogs) {
      "Logs are missing: the token says that \(store) was exported up to transaction"
        + " \(point.transaction), but the logs in \(logs.path) end at transaction"
        + " \(end.transaction)\(point.lineage == end.lineage ? "" : " of lineage \(end.lineage)")."
        + "\nCopy the logs back into the folder, or name the right folder."
    }
  }

  private var startNewFolder: String {
    logs.partial == nil
      ? "To start a new set of logs in \(logs.path), run “travelog export \(store) --to"
        + " \(logs.path) --new-folder”."
      : "To start a new set of logs in \(logs.path), export with the same filter and --new-folder."
  }

  /// Throws if the history lacks a transaction in the range after a point.
  func checkContinuation(
    of identifier: String,
    after point: HistoryPoint,
    through last: Int64 = .max,
    reader: Reader
  ) throws {
    let lineage = try reader.historyRange().head.lineage
    // `recover` began this lineage in another folder, so it can't continue the logs in this folder.
    guard lineage <= point.lineage || stream != nil else {
      throw otherLineage(lineage, logs: point.lineage, store: store)
    }
    do {
      try reader.check(point, through: last)
    } catch let failure as StoreError where failure.code == .historyExpired {
      let remedy =
        logs.partial == nil
        ? "Run “travelog recover \(store) --to \(logs.path)” to record the lost transactions as a"
          + " gap."
        : "Move \(logs.storeFolder(identifier)) away. \(startNewFolder)"
      throw PipelineError(.historyExpired) {
        "\(store) was exported up to transaction \(point.transaction), but later transactions are"
          + " no longer in the history of the store: \(failure.message)\n\(remedy)"
      }
    } catch let failure as StoreError where failure.code == .historyDiverged {
      throw PipelineError(.historyDiverged) {
        "The history of \(store) differs from the exported history: \(failure.message)"
          + "\nIf the store was restored from an older copy, run “travelog recover \(store) --to"
          + " \(logs.path)”, which begins a new lineage."
      }
    }
  }
}
