import ChangeLog
import Format
import FoundationEssentials
import Glibc

/// The tree over the transactions of a lineage, in tiles beside its logs.
///
/// The data of a leaf is the digest of a transaction. The file `head` in the tree's folder contains
/// the size and the root of the tree as a checkpoint, and after it the positions of transactions.
package struct LineageTree {
  /// A range of transactions with consecutive ids, given by the position and the id of the first
  /// transaction.
  struct Run: Hashable {
    let position: Int64
    let transaction: Int64
  }

  /// The folder of the tree.
  package let path: String
  /// The name that distinguishes this tree from other trees.
  let origin: String
  package let head: TreeHead
  let runs: [Run]
  /// The last transaction in the tree, and its digest, which the digest of the next transaction
  /// covers.
  let last: HistoryPoint

  package var tiles: TiledTree { TiledTree(path, count: head.count) }

  static func path(_ folder: LogFolder, store: String, lineage: Int64) -> String {
    "\(folder.lineageFolder(store, lineage: lineage))/_tree"
  }

  /// Reads the head of a tree; nil if the tree does not exist.
  package init?(_ folder: LogFolder, store: String, lineage: Int64) throws {
    path = Self.path(folder, store: store, lineage: lineage)
    try checkIsNotSpecial(path)
    guard let bytes = try readSmallFile("\(path)/head") else { return nil }
    // The ids have an upper limit, so code can add one to any id.
    let ids: Range<Int64> = 1..<1 << 62
    do {
      let text = String(decoding: bytes, as: UTF8.self)
      let checkpoint = try Checkpoint(text: text)
      (origin, head) = (checkpoint.origin, checkpoint.head)
      let size = checkpoint.head.count
      let lines = text.split(separator: "\n").dropFirst(3).map { $0.split(separator: " ") }
      runs = lines.dropLast().compactMap { parts in
        guard parts.count == 2, let position = Int64(parts[0]), let id = Int64(parts[1]),
          (0..<size).contains(position), ids.contains(id)
        else { return nil }
        return Run(position: position, transaction: id)
      }
      guard runs.count == lines.count - 1, ids.contains(head.count), let end = lines.last,
        end.count == 3, end[0] == "end",
        let id = Int64(end[1]), ids.contains(id), let digest = Digest(hexadecimal: String(end[2]))
      else { throw NoteError.malformed("it has no end") }
      last = HistoryPoint(lineage: lineage, transaction: id, digest: digest)
    } catch is NoteError {
      let head = "\(path)/head"
      throw LogError(.refuted, head) { "\(head) was damaged or altered.\n\(compareTheTree)" }
    }
  }

  /// The name of the tree in its checkpoint, or the default name if the tree has no checkpoint.
  func publishedOrigin() throws -> String {
    try CheckpointFile.published(path)?.checkpoint.origin ?? origin
  }

  /// Throws if the root computed from the tiles differs from the root in `head`.
  package func check() throws {
    guard try tiles.head() == head else { throw otherRoot(path) }
  }

  /// The position of a transaction; nil if the tree does not contain the transaction.
  func position(of transaction: Int64) -> Int64? {
    guard transaction <= last.transaction,
      let place = runs.lastIndex(where: { $0.transaction <= transaction })
    else { return nil }
    let position = runs[place].position + transaction - runs[place].transaction
    let end = place + 1 < runs.count ? runs[place + 1].position : head.count
    return position < end ? position : nil
  }

  /// The transaction at a position; nil if the tree has no leaf at this position.
  func transaction(at position: Int64) -> Int64? {
    guard position < head.count, let run = runs.last(where: { $0.position <= position }) else {
      return nil
    }
    return run.transaction + position - run.position
  }
}

/// The advice if the tree or the logs were altered, because the tree can be the evidence.
let compareTheTree =
  "The tree or the logs were altered. Keep copies of both. If you have an earlier checkpoint,"
  + " compare the tree with it: \(inQuotes("travelog verify LOGS --since CHECKPOINT"))."

func otherRoot(_ path: String) -> LogError {
  LogError(.refuted, path) {
    "The tiles in \(path) do not give the root in the file beside the tiles.\n\(compareTheTree)"
  }
}

struct LineageTreeWriter {
  private let path: String
  private let origin: String
  private var tiles: TileWriter
  private var runs: [LineageTree.Run]
  private(set) var last: HistoryPoint

  /// Opens the tree of a lineage, to append transactions after the given point.
  ///
  /// If the tree does not end at the given point, or if its tiles are damaged, the tree is rebuilt
  /// from the logs.
  init(
    _ folder: LogFolder,
    store: String,
    after end: HistoryPoint
  ) throws {
    if let tree = try Self.tree(folder, store: store, lineage: end.lineage), tree.last == end {
      (path, origin, runs, last) = (tree.path, tree.origin, tree.runs, tree.last)
      tiles = try TileWriter(tree.tiles)
      return
    }
    self = try Self(
      rebuilding: LogChain(folder, store: store, lineage: end.lineage),
      from: end
    )
  }

  /// The tree of a lineage; nil if the tree is missing or damaged.
  ///
  /// - Throws: ``LogError`` if the folder of the tree is a link, because a rebuilt tree would be
  ///   written to the target of the link.
  static func tree(_ folder: LogFolder, store: String, lineage: Int64) throws -> LineageTree? {
    try checkIsNotSpecial(LineageTree.path(folder, store: store, lineage: lineage))
    do {
      let tree = try LineageTree(folder, store: store, lineage: lineage)
      try tree?.check()
      return tree
    } catch let error as LogError where [.damaged, .missingTile, .refuted].contains(error.code) {
      return nil
    }
  }

  /// Builds a tree from the logs of a lineage.
  ///
  /// If there are no logs, the tree begins at `start`.
  init(rebuilding chain: LogChain, from start: HistoryPoint) throws {
    path = LineageTree.path(chain.folder, store: chain.store, lineage: chain.lineage)
    let first = try chain.files.first.map { try chain.open($0, after: nil).header }
    last =
      first.map {
        HistoryPoint(lineage: chain.lineage, transaction: $0.first - 1, digest: $0.previous)
      } ?? start
    let isWhole = try first == nil ? start.transaction == 0 : chain.beginsLineage()
    // If the logs begin with a snapshot, their tree differs from the tree of the whole history, so
    // it needs another name.
    origin =
      "travelog/\(chain.store)/\(chain.lineage)" + (isWhole ? "" : "/\(last.transaction)")
    let old = "\(path)/tile"
    if access(old, F_OK) == 0 { try FileManager.default.removeItem(atPath: old) }
    tiles = try TileWriter(TiledTree(path, count: 0))
    runs = []
    for file in chain.files {
      let reader = try chain.open(file, after: runs.isEmpty ? nil : last)
      while let transaction = try reader.next(checksValues: false) { try append(transaction) }
      try chain.checkEnd(reader, file: file)
    }
    if tiles.count > 0 { try finish() }
  }

  mutating func append(_ transaction: Transaction) throws {
    guard let digest = transaction.digest, let point = transaction.point(inLineage: last.lineage)
    else { return }
    if runs.isEmpty || transaction.id != last.transaction + 1 {
      runs.append(LineageTree.Run(position: tiles.count, transaction: transaction.id))
    }
    try tiles.append(leafHash(digest))
    last = point
  }

  /// Writes the tiles, and then the head.
  ///
  /// After the head is written, the appended transactions are part of the tree.
  func finish() throws {
    // Partial tiles of the published tree are kept. If the checkpoint can't be read, they are
    // removed, and the commands that read the checkpoint report the error.
    let published = (try? CheckpointFile.published(path))?.checkpoint.head.count ?? 0
    try tiles.finish(keeping: min(published, tiles.count))
    var text = try Checkpoint(origin: origin, head: tiles.head()).text
    for run in runs { text += "\(run.position) \(run.transaction)\n" }
    text += "end \(last.transaction) \(last.digest)\n"
    // Neither this file nor the tiles are synced, because all of them can be rebuilt from the logs.
    try writeUnsynced(Array(text.utf8), to: "\(path)/head", temporary: "\(path)/.head.writing")
  }
}
