import Glibc
import Stopping

/// A file of verified lines in the stream format of Apache Arrow, which many programs read without
/// parsing.
///
/// Until ``finish()``, the file has a temporary name. So a file that has its name has only lines of
/// sound logs.
package final class ArrowFile {
  private static let mostRows = 20_000
  private static let mostBytes = 16 << 20

  private let path: String
  private let temporary: String
  private let descriptor: Int32
  private var output: [UInt8] = []
  private let columns = LineColumns()
  private let stream: ArrowStream

  /// Begins a file.
  ///
  /// - Throws: ``LogError`` if something else than a file has the name, because the new file would
  ///   replace it.
  package init(path named: String) throws {
    // A link keeps its place: the file that it names is replaced.
    path = withoutLinks(named)
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      let kind = FileKind(mode: status.st_mode).words
      throw LogError(.exists, named) {
        "\(named) is \(kind), and the lines are written to a new file.\nName a file."
      }
    }
    temporary = path + ".writing"
    Leftovers.add(temporary)
    descriptor = open(temporary, writing | O_TRUNC, 0o600)
    stream = columns.stream
    guard descriptor >= 0 else { throw diskError("create", path: temporary) }
    try restart()
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    // After a success, no file has this name.
    unlink(temporary)
    Leftovers.forget(temporary)
  }

  /// Forgets all lines, because the logs changed while they were read, and are read again.
  package func restart() throws {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw diskError("write", path: temporary)
    }
    columns.removeAll()
    output.removeAll(keepingCapacity: true)
    try stream.writeSchema(append)
  }

  /// Begins a log.
  ///
  /// All rows of a batch are from one log, so a reader looks only once at what the rows share.
  func begin() throws { try writeBatch() }

  /// Adds a line of a log, without its line break.
  func append(_ line: UnsafeRawBufferPointer, at place: LineColumns.Place) throws(Refusal) {
    try columns.append(line, at: place)
  }

  /// Writes the lines if there are many of them.
  func writeFullBatch() throws {
    if columns.count >= Self.mostRows || columns.size >= Self.mostBytes { try writeBatch() }
  }

  /// Gives the file its name, once all logs were verified.
  package func finish() throws {
    try writeBatch()
    try stream.writeEnd(append)
    try flush()
    guard rename(temporary, path) == 0 else { throw diskError("rename", path: temporary) }
  }

  private func writeBatch() throws {
    try stream.writeBatch(append)
    columns.removeAll()
    try flush()
  }

  private func append(_ bytes: UnsafeRawBufferPointer) throws {
    output.append(contentsOf: bytes)
    if output.count >= 1 << 20 { try flush() }
  }

  private func flush() throws {
    try write(output, to: descriptor, path: temporary)
    output.removeAll(keepingCapacity: true)
  }
}
