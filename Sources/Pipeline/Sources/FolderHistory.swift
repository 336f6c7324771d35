public import ChangeLog
public import Store

/// The history that the logs of one lineage of a store hold.
public final class FolderHistory: HistorySource {
  private let chain: LogChain

  /// Finds the logs of a store in a folder; the latest lineage is taken unless one is named.
  public init(_ folder: LogFolder, store: String, lineage: Int64? = nil) throws {
    let lineages = try folder.lineages(of: store)
    if lineages.isEmpty, folder.partial == nil,
      let partial = try PartialLogs.all(of: store, in: folder).first
    {
      throw LogError(
        .partial,
        "The logs of the store \(store) in \(folder.path) all have something left out"
          + " (\(partial.words)), so that they are no whole history. Name the folder of one kind of"
          + " them, which “log”, “show” and “blame” read as far as it goes:"
          + " \(partial.folder.storeFolder(store))",
        path: partial.folder.storeFolder(store)
      )
    }
    guard let lineage = lineage ?? lineages.last, lineages.contains(lineage) else {
      throw PipelineError(
        .missing,
        "There are no logs of"
          + (lineage.map { " lineage \($0) of" } ?? "") + " the store \(store) in \(folder.path).",
        hint: "Name the folder that “travelog export --to” was given."
      )
    }
    chain =
      folder.partial == nil
      ? try LogChain(folder, store: store, lineage: lineage)
      : try LogChain(
        folder,
        store: store,
        lineage: lineage,
        Erasures(store: store, lineage: lineage)
      )
    guard !chain.files.isEmpty else {
      throw PipelineError(
        .missing,
        "There are no logs in \(folder.lineageFolder(store, lineage)).",
        hint: "Name the folder that “travelog export --to” was given."
      )
    }
    for (last, next) in zip(chain.files, chain.files.dropFirst())
    where folder.partial == nil && next.range.lowerBound != last.range.upperBound + 1 {
      let end = HistoryPoint(
        lineage: lineage,
        transaction: last.range.upperBound,
        digest: chain.beginning.digest
      )
      throw chain.gap(next, end)
    }
  }

  /// What is known of the history before its transactions are read.
  public func outline() throws -> HistoryOutline {
    let first = chain.files[0]
    let last = chain.files[chain.files.count - 1]
    let header = try chain.open(last, after: nil).header
    let schema = header.schema
    let earlier = try chain.folder.lineages(of: chain.store).last { $0 < chain.lineage }
    return HistoryOutline(
      path: chain.folder.path,
      store: chain.store,
      lineage: chain.lineage,
      schema: schema,
      schemas: [try chain.open(first, after: nil).header.schema, schema],
      base: first.range.lowerBound - 1,
      head: last.range.upperBound,
      stretches: chain.files.flatMap { ChangeLog.stretches(ofLog: $0.path, $0.range) },
      earlier: earlier.map { chain.folder.lineageFolder(chain.store, $0) },
      partial: header.partial
    )
  }

  /// The schemas of all logs; a migration begins a new one.
  public func schemas() throws -> [StoreSchema] {
    var result: [StoreSchema] = []
    for file in chain.files {
      let schema = try chain.open(file, after: nil).header.schema
      if result.last != schema { result.append(schema) }
    }
    return result
  }

  /// Reads the transactions of a range with their changes.
  public func read(
    _ range: ClosedRange<Int64>,
    wants: (Transaction) -> Bool,
    change: (Change, Transaction) throws -> Void,
    transaction: (Transaction) throws -> Void
  ) throws {
    var point: HistoryPoint?
    for file in chain.files where file.range.overlaps(range) {
      let isWhole = file.range.upperBound <= range.upperBound
      let (reader, last) = try readLog(
        range,
        toEnd: isWhole,
        open: { try chain.open(file, after: point) },
        wants: wants,
        change: change,
        transaction: transaction
      )
      if isWhole { try chain.checkEnd(reader, file) }
      // Transactions that were left out lie between partial logs, so that they are no chain.
      guard chain.folder.partial == nil else { continue }
      point = last?.chainDigest.map { digest in
        HistoryPoint(lineage: chain.lineage, transaction: file.range.upperBound, digest: digest)
      }
    }
  }
}
