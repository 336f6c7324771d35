import ChangeLog
import Format

/// The history in the logs of one lineage of a store.
package final class FolderHistory: HistorySource {
  private(set) var chain: LogChain
  /// The last transaction at the time when the history was opened.
  private let head: Int64
  private let isVerifying: Bool

  /// Finds the logs of a store in a folder.
  ///
  /// If no lineage is given, the latest lineage is used.
  package init(_ folder: LogFolder, store: String, lineage: Int64? = nil) throws {
    let lineages = try folder.lineages(of: store)
    if lineages.isEmpty, folder.partial == nil,
      let filtered = try FilteredLogs.all(of: store, in: folder).first
    {
      let path = filtered.folder.storeFolder(store)
      throw LogError(.filtered, path) {
        "All logs of the store \(store) are filtered (\(filtered.words)), so they do not contain"
          + " the whole history."
          + "\nThe commands “log”, “show” and “blame” can read the folder of one filter: \(path)"
      }
    }
    guard let lineage = lineage ?? lineages.last, lineages.contains(lineage) else {
      throw noLogs(
        of: (lineage.map { "lineage \($0) of " } ?? "") + "the store \(store)",
        in: folder,
        others: lineages.map { "lineage \($0)" }
      )
    }
    isVerifying = true
    chain = try Self.chain(folder, store: store, lineage: lineage)
    head = chain.files.last?.range.upperBound ?? 0
    guard !chain.files.isEmpty else {
      let path = folder.lineageFolder(store, lineage: lineage)
      guard let snapshot = chain.snapshots.last else { throw noLogs(path) }
      throw PipelineError(.missing) {
        "The logs in \(path) contain only the state after transaction \(snapshot.range.upperBound)."
          + "\nRun “travelog import \(path) --into NEW.store” to create a store with this state."
      }
    }
    try checkIsWhole()
  }

  private init(unverified whole: FolderHistory) {
    (chain, head, isVerifying) = (whole.chain, whole.head, false)
  }

  package var unverified: any HistorySource { FolderHistory(unverified: self) }

  /// Throws if a log is missing between two logs of the folder.
  private func checkIsWhole() throws {
    for (last, next) in zip(chain.files, chain.files.dropFirst())
    where chain.folder.partial == nil && next.range.lowerBound != last.range.upperBound + 1 {
      throw chain.gap(next, point: gapBefore(last.range.upperBound + 1))
    }
  }

  private static func chain(
    _ folder: LogFolder,
    store: String,
    lineage: Int64
  ) throws -> LogChain {
    guard folder.partial == nil else {
      let none = Erasures(store: store, lineage: lineage)
      return try LogChain(folder, store: store, lineage: lineage, erasures: none)
    }
    return try LogChain(folder, store: store, lineage: lineage)
  }

  package var proof: HistoryProof { .folder }
  package func state() -> HistoryState { .folder }

  package func files() throws -> [HistoryFile] {
    try chain.folder.files(of: chain.store, lineage: chain.lineage)
      .map { HistoryFile(path: $0.path, isDigestible: true) }
  }

  private func gapBefore(_ id: Int64) -> HistoryPoint {
    HistoryPoint(lineage: chain.lineage, transaction: id - 1, digest: chain.beginning.digest)
  }

  private func file(overlapping range: ClosedRange<Int64>) -> LogFolder.File? {
    var (low, high) = (0, chain.files.count)
    while low < high {
      let middle = (low + high) / 2
      if chain.files[middle].range.upperBound < range.lowerBound {
        low = middle + 1
      } else {
        high = middle
      }
    }
    let file = low < chain.files.count ? chain.files[low] : nil
    return file.flatMap { $0.range.overlaps(range) ? $0 : nil }
  }

  /// Opens a log.
  ///
  /// The given point is compared with the log only if the log begins at this point.
  private func open(_ file: LogFolder.File, after point: HistoryPoint?) throws -> LogReader {
    let isNext = point.map { $0.transaction + 1 == file.range.lowerBound } ?? false
    let reader = try chain.open(file, after: isNext ? point : nil)
    reader.isVerifying = isVerifying
    return reader
  }

  /// Calls a function; if a log was missing, calls the function again with a new list of logs.
  ///
  /// If a log is missing, another program has merged it into another log.
  func listing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as LogError where error.code == .missing {
      let files = chain.files
      chain = try Self.chain(chain.folder, store: chain.store, lineage: chain.lineage)
      guard chain.files != files, !chain.files.isEmpty else { throw error }
      try checkIsWhole()
      return try listing(body)
    }
  }

  package func outline() throws -> HistoryOutline { try listing(makeOutline) }

  private func makeOutline() throws -> HistoryOutline {
    let first = chain.files[0]
    let last = chain.files[chain.files.count - 1]
    let header = try chain.open(last, after: nil).header
    let schema = header.schema
    let others = try chain.folder.lineages(of: chain.store).filter { $0 != chain.lineage }
    return HistoryOutline(
      path: chain.folder.path,
      store: chain.store,
      lineage: chain.lineage,
      schema: schema,
      schemas: [try chain.open(first, after: nil).header.schema, schema],
      base: first.range.lowerBound - 1,
      head: last.range.upperBound,
      stretches: chain.files.flatMap { ChangeLog.stretches(ofLog: $0.path, range: $0.range) },
      otherLineages: others.map {
        LineagePlace(lineage: $0, path: chain.folder.lineageFolder(chain.store, lineage: $0))
      },
      filter: header.partial
    )
  }

  /// The schemas of all logs.
  ///
  /// A log has one schema, because a migration begins a new log.
  package func schemas() throws -> [StoreSchema] {
    try listing {
      var result: [StoreSchema] = []
      for file in chain.files {
        let schema = try chain.open(file, after: nil).header.schema
        if result.last != schema { result.append(schema) }
      }
      return result
    }
  }

  package func read(
    _ range: ClosedRange<Int64>,
    wants: (Transaction) -> Bool,
    change: (Change, Transaction) throws -> Void,
    transaction: (Transaction) throws -> Void
  ) throws {
    var point: HistoryPoint?
    var next = range.lowerBound
    var opened: LogReader?
    while next <= range.upperBound {
      guard
        let file = try listing({ () throws -> LogFolder.File? in
          let rest = next...range.upperBound
          guard let file = file(overlapping: rest) else { return nil }
          opened = try open(file, after: point)
          return file
        })
      else { break }
      guard file.range.contains(next) || chain.folder.partial != nil else {
        throw chain.gap(file, point: point ?? gapBefore(next))
      }
      let isWhole = file.range.upperBound <= range.upperBound
      let (reader, last) = try readLog(
        next...range.upperBound,
        toEnd: isWhole,
        open: {
          defer { opened = nil }
          return try opened ?? open(file, after: point)
        },
        wants: wants,
        change: change,
        transaction: transaction
      )
      next = file.range.upperBound + 1
      if isWhole { try chain.checkEnd(reader, file: file) }
      // Filtered logs omit transactions, so the ids of two logs need not be consecutive.
      guard chain.folder.partial == nil else { continue }
      point = last?.chainDigest.map { digest in
        HistoryPoint(lineage: chain.lineage, transaction: file.range.upperBound, digest: digest)
      }
    }
    guard next > min(range.upperBound, head) || chain.folder.partial != nil else {
      throw PipelineError(.missingLogs) {
        "The logs from transaction \(next) on were removed from \(chain.folder.path)."
          + "\nCopy the missing logs back into the folder."
      }
    }
  }
}
