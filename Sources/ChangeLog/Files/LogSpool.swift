import Format
import Glibc

/// Makes logs from any place, or from a pipe, available as a log folder while a command runs.
package final class LogSpool {
  package private(set) var folder: LogFolder
  /// Whether the input contained no logs.
  package private(set) var isEmpty = true
  /// The errors of damaged logs that could not be placed in the folder; empty unless damaged logs
  /// are accepted.
  package private(set) var failures: [LogError] = []
  private let place: TemporaryFolder
  /// Whether damaged logs are also placed in the folder; a verification can then report their
  /// damage.
  private let acceptsDamage: Bool
  /// The name that the user gave to the logs.
  private let name: String
  /// The names that the user gave, each with the path of the file in the folder.
  private var names: [(path: String, name: String)] = []
  private var count = 0
  private static let damages: Set<LogError.Code> = [
    .damaged, .incomplete, .newerFormat, .notALog,
  ]

  /// Creates a folder from log files that are given in any order.
  ///
  /// `folder` is the folder with all files, and messages show it. If it is nil, a person named each
  /// file, so a file may be a link.
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

  /// Creates a folder from the logs in an open stream, which is read to its end.
  ///
  /// The logs are kept on disk until all logs are complete, because no part of a log may be applied
  /// before the whole log is verified.
  ///
  /// - Throws: ``LogError`` with ``LogError/Code/missing`` if the stream has no bytes. An export
  ///   without new transactions writes an empty gzip member.
  package init(stream: Int32, name: String, acceptsDamage: Bool = false) throws {
    place = try TemporaryFolder()
    folder = LogFolder(place.path)
    self.acceptsDamage = acceptsDamage
    self.name = name
    try collect { try read(stream, name: name) }
  }

  /// Replaces the paths of the temporary folder in a message by the names that the user gave.
  package func naming(_ message: String) -> String {
    // One path can be the beginning of another path, or a part of a name.
    let known = (names + [(place.path, name)])
      // A message shows the control characters of a path as escapes.
      .flatMap { [$0, (path: visible($0.path), name: $0.name)] }
      .sorted { $0.path.count > $1.path.count }
    var result = ""
    var rest = message[...]
    while let first = rest.first {
      let found = known.first { rest.hasPrefix($0.path) }
      result += found?.name ?? String(first)
      rest = rest.dropFirst(found?.path.count ?? 1)
    }
    return result
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
    // A later log may record the erasures in this log, so the erasures are verified when all logs
    // are read from the folder.
    let reader = try LogReader(path: full) { Erasures(uncheckedIn: $0) }
    var day = ""
    var isSnapshot = false
    // If the log can't be read to its end, its last id is unknown. Then the higher of two ids is
    // used: the id in the file's name, and the id after the last readable transaction.
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
      // The damage is reported by the code that reads the folder.
    }
    last = max(last, reader.header.first)
    let path = folder.place(reader.header, day: day, isSnapshot: isSnapshot).path(
      reader.header,
      last: last
    )
    // A log that was given twice is added once. If two different logs have equal names, the
    // verification of the digests reports an error.
    guard folder.sources[path] == nil else { return }
    folder.sources[path] = full
    gatherValues(near: full)
    // The erasure records of a lineage are taken from the folder of the first log of the lineage.
    let lineage = folder.lineageFolder(reader.header.store, lineage: reader.header.lineage)
    let records = "\(lineage)/\(LogFolder.erasuresName)"
    let own = Erasures.path(near: full)
    if folder.sources[records] == nil, access(own, F_OK) == 0 { folder.sources[records] = own }
  }

  /// Finds the folder of the large values for a log.
  ///
  /// The folder `blobs` is searched for in the file's log folder and in the two folders above the
  /// file. Blob files that were copied without this folder are beside the file.
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
        throw LogError(.missing, name) {
          "\(asSentence(name)) was empty. The command before the pipe failed."
            + "\nSee the message of this command above."
        }
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
        // In a stream, the erasure records follow their log.
        try keep(line, lineage: lineage)
        continue
      }
      if line.starts(with: #"{"kind":"header","#.utf8) {
        guard log == nil else {
          return try breakOff(&log, error: cutStream(name, line: lines.number))
        }
        let header = try LogHeader(
          line: UnsafeRawBufferPointer(rebasing: line.dropLast()),
          path: name
        )
        log = try SpooledLog(header, path: folder.path + "/.spooled")
        lineage = header
      }
      guard let open = log else { throw notAHeader(name, line: lines.number) }
      try open.append(line)
      guard line.starts(with: #"{"kind":"trailer","#.utf8) else { continue }
      try finish(open, name: name)
      log = nil
    }
    guard log != nil || value != nil else { return }
    try breakOff(&log, error: cutStream(name, line: lines.number))
  }

  private func cutStream(_ name: String, line: Int) -> LogError {
    LogError(.incomplete, name, line: line) {
      "\(asSentence(name)) ends in the middle of a log or a large value, at line \(line)."
        + "\nSend the logs again."
    }
  }

  private func asSentence(_ name: String) -> String {
    name.prefix(1).uppercased() + name.dropFirst()
  }

  /// Reads a line with a part of a large value.
  private func take(
    _ line: UnsafeRawBufferPointer,
    of value: inout SpooledValue?,
    number: Int
  ) throws {
    do {
      let open = try value ?? SpooledValue(line, blobs: folder.blobs)
      value = try open.append(line) ? nil : open
    } catch let refusal as Refusal {
      throw LogError(.damaged, name, line: number) {
        "Line \(number) of \(name) was damaged or altered: \(refusal.message)."
          + "\nSend the logs again."
      }
    }
  }

  /// Keeps the beginning of an incomplete log in the folder; a verification then reports the
  /// damage.
  private func breakOff(_ log: inout SpooledLog?, error: LogError) throws {
    guard acceptsDamage, let open = log, Self.damages.contains(error.code) else { throw error }
    log = nil
    try finish(open, name: name)
    // The code that reads the folder reports that the end of the log is missing.
    guard error.code == .incomplete else { throw error }
  }

  /// Moves a complete log to its place in the folder.
  private func finish(_ log: SpooledLog, name: String) throws {
    let path = try log.finish(in: folder)
    count += 1
    // If a stream contains several logs, the names of the logs are numbered.
    names.append((path, count == 1 ? name : "\(name) (log \(count))"))
  }

  /// Appends an erasure record to the records of its lineage, without checking the record.
  private func keep(_ record: UnsafeRawBufferPointer, lineage: LogHeader) throws {
    let path = folder.erasures(of: lineage.store, lineage: lineage.lineage)
    let descriptor = open(path, writing | O_APPEND, 0o600)
    guard descriptor >= 0 else { throw diskError("create", path: path) }
    defer { close(descriptor) }
    try ChangeLog.write(Array(record), to: descriptor, path: path)
  }
}
