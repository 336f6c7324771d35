import ChangeLog
import Changes
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
        throw error(.tokenIsDamaged(token.path, damage, isFiltered: logs.partial != nil))
      }
      if let point = token.point, point.transaction > 0, logs.partial == nil {
        throw error(.tokenHasNoLogs(point))
      }
      guard token.point == nil, try reader.remembersExport(filter: logs.partial) else { return }
      throw error(.wasExportedBefore(isFiltered: logs.partial != nil))
    }
    guard let point = token.point, logs.partial == nil,
      (point.lineage, point.transaction) > (end.lineage, end.transaction)
    else { return }
    throw error(.tokenIsAhead(point, lineage: end.lineage, end: end.transaction))
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
      throw error(.isOtherLineage(lineage, logs: point.lineage))
    }
    do {
      try reader.check(point, through: last)
    } catch let failure as StoreError where failure.code == .historyExpired {
      throw error(
        .isExpired(
          point.transaction,
          failure,
          filtered: logs.partial == nil ? nil : logs.storeFolder(identifier)
        )
      )
    } catch let failure as StoreError where failure.code == .historyDiverged {
      throw error(.hasDiverged(failure))
    }
  }
}
