import Changes
import Glibc

/// Presents logs that are files in any place, or arrive through a pipe, as a log folder while a command runs.
package final class LogSpool {
  /// The log folder.
  package private(set) var folder: LogFolder
  /// Whether there are no logs.
  package private(set) var isEmpty = true
  /// The errors of damaged logs that could not be placed in the folder; only collected if damage is accepted.
  package private(set) var failures: [LogError] = []
  private let place: TemporaryFolder
  /// Whether damaged logs are placed in the folder too, so that their faults are reported.
  private let acceptsDamage: Bool
  /// The name of the logs that the user gave.
  private let name: String
  /// The names that the user gave, by the files in the folder.
  private var names: [(path: String, name: String)] = []
  /// The number of logs from a stream.
  private var count = 0
  private static let damages: Set<LogError.Code> = [
    .damaged, .incomplete, .newerFormat, .notALog,
  ]

  /// Collects files in any order by their paths.
  ///
  /// Messages name `folder`, the folder that contains all files. It is nil if a person named the
  /// files, which may then be links.
  package init(files: [String], of folder: String? = nil, acceptsDamage: Bool = false) throws {
    place = try TemporaryFolder()
    self.folder = LogFolder(place.path)
    self.acceptsDamage = acceptsDamage
    name = folder ?? (files.count == 1 ? files[0] : "the files that were given")
    for file in files {
      try collect { try gather(file, isNamed: folder == nil) }
    }
    isEmpty = files.isEmpty
  }

  /// Reads logs, one after another, from an open stream to its end.
  ///
  /// The logs are kept on disk until all are complete, because no part of a log may be applied before
  /// the whole log is verified.
  ///
  /// - Throws: ``LogError`` with ``LogError/Code/missing`` if there are no bytes at all; an export
  ///   without new transactions writes an empty member.
  package init(stream: Int32, name: String, acceptsDamage: Bool = false) throws {
    place = try TemporaryFolder()
    folder = LogFolder(place.path)
    self.acceptsDamage = acceptsDamage
    self.name = name
    try collect { try read(stream, name: name) }
  }

  /// A message with the user's names instead of paths in the temporary folder.
  package func naming(_ message: String) -> String {
    names.reduce(message) { $0.replacing($1.path, with: $1.name) }
      .replacing(place.path, with: name)
  }

  private func collect(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as LogError where acceptsDamage && Self.damages.contains(error.code) {
      failures.append(error)
    }
  }

  // MARK: Files

  private func gather(_ file: String, isNamed: Bool) throws {
    let full = isNamed ? withoutLinks(file) : file
    if full != file { names.append((full, file)) }
    // The reader of the folder has the transactions of all logs, which may record erasures in this one.
    let reader = try LogReader(path: full) { Erasures(uncheckedIn: $0) }
    var day = ""
    var isSnapshot = false
    // The last transaction according to the file's name. If the log can't be read to its end, the
    // transaction after the last readable one is used if it is later.
    var last = LogName.range(ofFile: fileName(full))?.upperBound ?? 0
    do {
      while let transaction = try reader.next() {
        last = max(last, transaction.id + 1)
        if !day.isEmpty { continue }
        day = String(transaction.time.prefix(10))
        isSnapshot = transaction.operation == .snapshot && reader.header.isWithinLineage
      }
      last = reader.trailer?.last ?? last
    } catch let error as LogError where acceptsDamage && Self.damages.contains(error.code) {
      // The reader of the folder reports this fault too.
    }
    last = max(last, reader.header.first)
    let path = folder.place(reader.header, day: day, isSnapshot: isSnapshot).path(
      reader.header,
      last: last
    )
    // A log that was given twice is placed once. Another log with the same name is detected by its digests.
    guard folder.sources[path] == nil else { return }
    folder.sources[path] = full
    gatherValues(near: full)
    // The erasure records of a lineage, from the folder of its first file.
    let lineage = folder.lineageFolder(reader.header.store, lineage: reader.header.lineage)
    let records = "\(lineage)/\(LogFolder.erasuresName)"
    let own = Erasures.path(near: full)
    if folder.sources[records] == nil, access(own, F_OK) == 0 { folder.sources[records] = own }
  }

  /// Values that are too large for a line are in the log folder of a file, or in a folder above it; in a
  /// copy without folders they are beside the file.
  private func gatherValues(near file: String) {
    let root = file.firstRange(of: "/store=").map { String(file[..<$0.lowerBound]) }
    let own = parentFolder(file)
    let candidates = [root, own, parentFolder(own)].compactMap { $0.map { "\($0)/blobs" } } + [own]
    let place = place.path + "/blobs"
    guard folder.sources[place] == nil else { return }
    folder.sources[place] = candidates.first { access($0, F_OK) == 0 }
  }

  private func fileName(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  // MARK: A stream

  private func read(_ stream: Int32, name: String) throws {
    let reader = try GzipReader(descriptor: stream, path: name)
    let lines = LineBuffer(reader, path: name)
    defer { lines.finish() }
    var log: SpooledLog?
    var value: SpooledValue?
    var lineage: LogHeader?
    func next() throws -> UnsafeRawBufferPointer? {
      do {
        return try lines.next()
      } catch is LogError where reader.isEmpty {
        throw LogFailure.noStream.at(name)
      } catch let error as LogError where log != nil {
        try breakOff(&log, error: error)
        return nil
      }
    }
    while let line = try next() {
      isEmpty = false
      if lineage != nil, log == nil, value != nil || StreamedValue.begins(line) {
        try take(line, of: &value, number: lines.number)
        continue
      }
      if let lineage, log == nil, line.starts(with: #"{"kind":"erasure","#.utf8) {
        // Erasure records follow the log.
        try keep(line, lineage: lineage)
        continue
      }
      if line.starts(with: #"{"kind":"header","#.utf8) {
        guard log == nil else {
          return try breakOff(&log, error: LogFailure.cutStream.at(name, line: lines.number))
        }
        let header = try LogHeader(
          line: UnsafeRawBufferPointer(rebasing: line.dropLast()),
          path: name
        )
        log = try SpooledLog(header, path: folder.path + "/.spooled")
        lineage = header
      }
      guard let open = log else { throw LogFailure.notAHeader.at(name, line: lines.number) }
      try open.append(line)
      guard line.starts(with: #"{"kind":"trailer","#.utf8) else { continue }
      try finish(open, name: name)
      log = nil
    }
    guard log != nil || value != nil else { return }
    try breakOff(&log, error: LogFailure.cutStream.at(name, line: lines.number))
  }

  /// Handles a line of a large value.
  private func take(
    _ line: UnsafeRawBufferPointer,
    of value: inout SpooledValue?,
    number: Int
  ) throws {
    do {
      let open = try value ?? SpooledValue(line, blobs: folder.blobs)
      value = try open.append(line) ? nil : open
    } catch let refusal as Refusal {
      throw LogFailure.alteredStream(refusal.message).at(name, line: number)
    }
  }

  /// Keeps the beginning of an incomplete log, so that its faults are reported.
  private func breakOff(_ log: inout SpooledLog?, error: LogError) throws {
    guard acceptsDamage, let open = log, Self.damages.contains(error.code) else { throw error }
    log = nil
    try finish(open, name: name)
    // The reader of the folder reports that the end is missing.
    guard error.code == .incomplete else { throw error }
  }

  /// Moves a log to its place in the folder.
  private func finish(_ log: SpooledLog, name: String) throws {
    let path = try log.finish(in: folder)
    count += 1
    // The logs of a stream are numbered if there are several.
    names.append((path, count == 1 ? name : "\(name) (log \(count))"))
  }

  /// Writes an erasure record into the folder of its lineage, without checking it.
  private func keep(_ record: UnsafeRawBufferPointer, lineage: LogHeader) throws {
    let path = folder.erasures(of: lineage.store, lineage: lineage.lineage)
    let descriptor = open(path, writing | O_APPEND, 0o600)
    guard descriptor >= 0 else { throw diskError("create", path: path) }
    defer { close(descriptor) }
    try ChangeLog.write(Array(record), to: descriptor, path: path)
  }
}
