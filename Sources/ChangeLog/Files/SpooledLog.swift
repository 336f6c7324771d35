import Format
import Glibc

/// One log from a stream, while its lines are written to a file.
final class SpooledLog {
  private let header: LogHeader
  private let path: String
  private let descriptor: Int32
  private let compressor: MemberPipeline
  private var block: [UInt8] = []
  private var day = ""
  private var last: Int64
  private var isSnapshot = false

  init(_ header: LogHeader, path: String) throws {
    self.header = header
    self.path = path
    last = header.first
    let descriptor = open(path, writing | O_TRUNC, 0o600)
    guard descriptor >= 0 else { throw diskError("create", path: path) }
    self.descriptor = descriptor
    compressor = MemberPipeline(level: 1, threads: 1, path: path) { member in
      try ChangeLog.write(member, to: descriptor, path: path)
    }
  }

  deinit { close(descriptor) }

  func append(_ line: UnsafeRawBufferPointer) throws {
    block.append(contentsOf: line)
    if line.starts(with: #"{"kind":"transaction","#.utf8)
      || line.starts(with: #"{"kind":"omitted","#.utf8)
    {
      look(at: line)
    }
    guard block.count >= LogWriter.memberSize else { return }
    try compressor.append(block)
    block.removeAll()
  }

  /// Reads the parts of the log's name from the closing line of a transaction, or from the line
  /// that replaces the transaction.
  ///
  /// The parts are not checked.
  private func look(at line: UnsafeRawBufferPointer) {
    func text(after key: String, count: Int) -> String? {
      let bytes = Array(line.prefix(400))
      let key = Array(key.utf8)
      guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: key) }) else {
        return nil
      }
      return String(decoding: bytes[(start + key.count)...].prefix(count), as: UTF8.self)
    }
    if let number = text(after: #""txn":"#, count: 20)?.prefix(while: \.isNumber),
      let id = Int64(number)
    {
      last = id
    }
    if day.isEmpty { day = text(after: #""ts":""#, count: 10) ?? "" }
    if last == header.first, text(after: #""op":""#, count: 9) == "snapshot\"" {
      isSnapshot = header.isWithinLineage
    }
  }

  func finish(in folder: LogFolder) throws -> String {
    if !block.isEmpty { try compressor.append(block) }
    try compressor.finish()
    let destination = folder.place(header, day: day, isSnapshot: isSnapshot)
    let place = destination.path(header, last: max(last, header.first))
    try makeFolders(parentFolder(place))
    try moveDurably(path, to: place)
    return place
  }
}

extension LogHeader {
  /// Whether the log is not the first log of its lineage.
  ///
  /// A log that contains only a snapshot can be the first log of its lineage, or a separate
  /// snapshot.
  var isWithinLineage: Bool {
    previous != TransactionDigest.beginning(ofStore: store, lineage: lineage)
  }
}

extension LogFolder {
  /// The destination of a log according to its lines; an invalid day is not used, because its path
  /// could be outside the folder.
  func place(
    _ header: LogHeader,
    day: String,
    isSnapshot: Bool
  ) -> LogDestination {
    let folder = header.partial.isEmpty ? self : partial(leavingOut: header.partial)
    let isDay =
      day.utf8.count == 10 && day.utf8.allSatisfy { $0 == 0x2d || (0x30...0x39).contains($0) }
    return isSnapshot ? .snapshot(folder) : .day(isDay ? day : "none", folder)
  }
}
