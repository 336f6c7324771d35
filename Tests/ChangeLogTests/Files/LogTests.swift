import Format
import Foundation
import ProcessTesting
import Store
import TestSupport
import Testing

@testable import ChangeLog

/// Trips with tags: a to-one reference, links, and values of several types.
private let schema = StoreSchema(
  version: "1.0.0",
  entities: [
    Entity(
      name: "Trip",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "start", type: .date, isOptional: true),
        Attribute(name: "rating", type: .double, isOptional: true),
        Attribute(name: "seal", type: .data, isOptional: true),
      ],
      relationships: [
        Relationship(
          name: "next",
          destination: "Trip",
          isToMany: false,
          storage: .column("next")
        ),
        Relationship(
          name: "tags",
          destination: "Tag",
          isToMany: true,
          inverse: "trips",
          storage: .joinTable("Tag_trips", source: "Trip", target: "Tag")
        ),
      ]
    ),
    Entity(
      name: "Tag",
      attributes: [Attribute(name: "word", type: .string)],
      relationships: [
        Relationship(
          name: "trips",
          destination: "Trip",
          isToMany: true,
          inverse: "tags",
          storage: .joinTable("Tag_trips", source: "Tag", target: "Trip")
        )
      ]
    ),
  ]
)

private let tag: EntityIndex = 0
private let trip: EntityIndex = 1

private func makeStore(_ location: Location = .memory("source")) throws -> Store {
  let store = try Store.open(location, schema: schema)
  try store.write(Author(name: "app \"1\"", bundle: "org.example")) { writer in
    try writer.insert(tag, id: 1, values: [.text("north")])
    try writer.insert(
      trip,
      id: 1,
      values: [.text("Oslo \u{1} ü"), .real(0.25), .text("NaN"), .blob(Data([0, 255])), .null]
    )
  }
  try store.write(Author()) { writer in
    try writer.insert(
      trip,
      id: 2,
      values: [.text("Bergen"), .real(1e13), .real(4.5), .null, .integer(1)]
    )
    try writer.link(trip, relationship: "tags", source: 1, target: 1)
  }
  try store.write(Author(name: "widget")) { writer in
    try writer.update(trip, id: 2, columns: [0, 4], values: [.text("Tromsø"), .null])
    try writer.delete(trip, id: 1)
  }
  return store
}

/// Writes the history of a store after a transaction into one log, and returns its path.
@discardableResult
private func export(
  _ store: Store,
  to folder: URL,
  after first: Int64 = 0,
  level: Int = 6,
  manyAtOnce: Bool = false
) throws -> String {
  try store.read { reader in
    let header = LogHeader(
      store: store.identifier,
      lineage: store.lineage,
      first: first + 1,
      previous: try reader.point(first).digest,
      schema: store.schema
    )
    let cursor = try reader.history(after: first)
    let writer = try LogWriter(
      .day("2026-09-20", LogFolder(folder.path)),
      header: header,
      level: level
    )
    while var transaction = try cursor.nextTransaction() {
      transaction.digest = try reader.point(transaction.id).digest
      let lines = TransactionLines(transaction)
      if manyAtOnce {
        var text: [UInt8] = []
        while let change = try cursor.nextChange() { lines.append(change, to: &text) }
        try text.withUnsafeBytes { try writer.append(lines: $0, changes: transaction.count) }
      } else {
        while let change = try cursor.nextChange() { try writer.append(change, lines: lines) }
      }
      try writer.close(transaction, lines: lines)
    }
    return try writer.finish()
  }
}

/// Reads a log to its end, and returns the lines of its transactions.
private func read(_ path: String) throws -> String {
  let reader = try LogReader(path: path)
  var text: [UInt8] = []
  var pending: [UInt8] = []
  while true {
    pending.removeAll()
    let transaction = try reader.next { change, _, _ in
      pending += "\(change.kind) \(String(decoding: change.entity, as: UTF8.self))".utf8
      pending += " \(change.object) \(String(decoding: change.changed, as: UTF8.self))".utf8
      pending += " \(String(decoding: change.before, as: UTF8.self))".utf8
      pending += " \(String(decoding: change.after, as: UTF8.self))".utf8
      pending += " \(String(decoding: change.special, as: UTF8.self))\n".utf8
    }
    guard let transaction else { break }
    text += pending
    TransactionLines(transaction).appendClosing(digest: transaction.digest, to: &text)
  }
  #expect(reader.trailer != nil)
  return String(decoding: text, as: UTF8.self)
}

private func gzip(_ text: [UInt8]) throws -> [UInt8] {
  try GzipCompressor(level: 1, path: "test").member(of: text)
}

@Suite("Logs, written and read")
struct LogTests {
  @Test("A log has a header, the lines of its transactions and a trailer, and zcat reads it.")
  func text() throws {
    try withTemporaryFolder { folder in
      let store = try makeStore()
      let path = try export(store, to: folder)
      #expect(
        path.hasSuffix("/date=2026-09-20/00000000000000000001-00000000000000000003.ndjson.gz")
      )
      #expect(path.contains("/store=\(store.identifier)/lineage=0/"))
      let zcat = ChildProcess()
      zcat.executableURL = URL(fileURLWithPath: "/bin/zcat")
      zcat.arguments = [path]
      let pipe = Pipe()
      zcat.standardOutput = pipe
      try zcat.run()
      let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
      zcat.waitUntilExit()
      #expect(zcat.terminationStatus == 0)
      let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
      #expect(lines.count == 1 + 3 + 3 + 4 + 1)
      for line in lines {
        #expect(throws: Never.self) {
          _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
        }
      }
      #expect(lines[0].hasPrefix(#"{"kind":"header","txn":0,"seq":0,"n":0,"count":0,"ts":"1970"#))
      #expect(
        lines[0].contains(
          #""before":{"word":"","trips":[{"entity":"","id":""}],"name":"","#
            + #""start":"1970-01-01T00:00:00.000000Z","rating":0.0,"seal":"","#
            + #""next":{"entity":"","id":""}"#
        )
      )
      #expect(lines.last?.hasPrefix(#"{"kind":"trailer","digest":""#) == true)
      #expect(lines.last?.hasSuffix(#""last":3,"transactions":3,"changes":7}}"#) == true)
    }
  }

  @Test("A log is read as it was written.")
  func roundTrip() throws {
    try withTemporaryFolder { folder in
      let store = try makeStore()
      let text = try read(try export(store, to: folder))
      #expect(text.contains(#"insert Trip 1  "#))
      #expect(text.contains(#"{"after":{"rating":"nan"}}"#))
      #expect(text.contains(#"update Trip 2 ["name","next"]"#))
      // The deletion of the trip also changes the tag that was linked to it.
      #expect(text.contains(#"update Tag 1 ["trips"]"#))
      #expect(text.split(separator: "\n").count == 10)
    }
  }

  @Test("The same history gives the same file with any number of threads.", arguments: [0, 1, 9])
  func reproducible(_ level: Int) throws {
    try withTemporaryFolder { folder in
      let store = try makeStore()
      let paths = try (0..<3).map { round in
        try export(store, to: folder.appendingPathComponent("\(round)"), level: level)
      }
      let files = try paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
      #expect(files[0] == files[1])
      #expect(files[1] == files[2])
      #expect(files[0][4..<8] == Data([0, 0, 0, 0]))
    }
  }

  @Test("Lines that are written in batches make the same file with the same members.")
  func manyAtOnce() throws {
    try withTemporaryFolder { folder in
      let store = try Store.open(.memory("many"), schema: schema)
      for round in Int64(0)..<3 {
        try store.write(Author(name: "import")) { writer in
          for id in Int64(1)...5000 * (round + 1) {
            try writer.insert(tag, id: round * 100_000 + id, values: [.text("word \(id * 7)")])
          }
        }
      }
      let one = try export(store, to: folder.appendingPathComponent("one"))
      let many = try export(store, to: folder.appendingPathComponent("many"), manyAtOnce: true)
      let files = try [one, many].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
      #expect(files[0] == files[1])
      #expect(try read(many).split(separator: "\n").count == 30_003)
    }
  }

  @Test(
    "A compression level that does not exist is refused before a file is created.",
    arguments: [-1, 13, 100]
  )
  func levels(_ level: Int) throws {
    try withTemporaryFolder { folder in
      #expect(!LogWriter.levels.contains(level))
      let error = #expect(throws: LogError.self) {
        _ = try export(try makeStore(), to: folder, level: level)
      }
      #expect(error?.message.contains("level \(level)") == true)
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(left.isEmpty)
    }
  }

  @Test("A finished log is the only file in its folder, and an abandoned one leaves nothing.")
  func leftovers() throws {
    try withTemporaryFolder { folder in
      let store = try makeStore()
      let path = try export(store, to: folder)
      let day = URL(fileURLWithPath: path).deletingLastPathComponent()
      #expect(try FileManager.default.contentsOfDirectory(atPath: day.path).count == 1)
      try store.read { reader in
        let header = LogHeader(
          store: store.identifier,
          lineage: 0,
          first: 9,
          previous: try reader.point(0).digest,
          schema: schema
        )
        _ = try LogWriter(.day("2026-09-20", LogFolder(folder.path)), header: header)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: day.path).count == 1)
    }
  }

  @Test("Each member of a large log ends with a line.")
  func members() throws {
    try withTemporaryFolder { folder in
      let store = try Store.open(.memory("large"), schema: schema)
      for round in Int64(0)..<4 {
        try store.write(Author(name: "import")) { writer in
          for id in Int64(0)..<4000 {
            try writer.insert(tag, id: 1 + round * 4000 + id, values: [.text("word \(id * 7)")])
          }
        }
      }
      let path = try export(store, to: folder)
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      let starts = bytes.indices.dropLast(4).filter {
        bytes[$0] == 0x1f && bytes[$0 + 1] == 0x8b && bytes[$0 + 2] == 8 && bytes[$0 + 3] == 0
      }
      #expect(starts.count >= 3)
      // A file that is cut at the end of a member looks complete to other gzip readers.
      for start in starts.dropFirst() {
        let cut = folder.appendingPathComponent("cut.ndjson.gz")
        try Data(bytes[..<start]).write(to: cut)
        let error = #expect(throws: LogError.self) { _ = try read(cut.path) }
        #expect(error?.code == .incomplete)
        #expect(error?.message.contains("has no trailer") == true)
      }
      #expect(try read(path).split(separator: "\n").count == 16_004)
    }
  }
}

@Suite("Damaged logs")
struct DamagedLogTests {
  /// Writes a new file: replacing an existing one would wait for the disk.
  private func write(_ bytes: [UInt8], to file: URL) throws {
    unlink(file.path)
    try Data(bytes).write(to: file)
  }

  /// For each line, the number of the line that closes its transaction; for the header, that of the
  /// last line, because later lines must match the header.
  private func closing(_ text: [UInt8]) -> [Int] {
    let lines = text.split(separator: 0x0a)
    var numbers = lines.indices.map { $0 + 1 }
    for index in lines.indices.dropLast().reversed()
    where lines[index].starts(with: #"{"kind":"change""#.utf8) {
      numbers[index] = numbers[index + 1]
    }
    numbers[0] = lines.count
    return numbers
  }

  @Test("A change of any uncompressed byte is found at its line, or where its transaction closes.")
  func bytes() throws {
    try withTemporaryFolder { folder in
      let path = try export(makeStore(), to: folder)
      let text = try plain(path)
      let file = folder.appendingPathComponent("changed.ndjson.gz")
      let closing = closing(text)
      var found = 0
      // Flips one bit of some bytes, or of all bytes in long tests.
      let step = trials(3, long: 1)
      for index in stride(from: 0, to: text.count, by: step) {
        for bit in trials(0, long: 1) == 1 ? 0..<8 : index % 8..<index % 8 + 1 {
          var changed = text
          changed[index] ^= 1 << bit
          try write(gzip(changed), to: file)
          // Any error is right if it has a typed code.
          do {
            _ = try read(file.path)
            Issue.record("a change of bit \(bit) of byte \(index) was accepted")
          } catch let error as LogError {
            found += 1
            let line = text[..<index].count { $0 == 0x0a } + 1
            let expected = line...closing[line - 1]
            #expect(expected.contains(max(error.line, 1)), "byte \(index): \(error)")
          }
        }
      }
      #expect(found == (text.count + step - 1) / step * trials(1, long: 8))
    }
  }

  @Test("A log that was cut at any byte, compressed or not, is found.")
  func cuts() throws {
    try withTemporaryFolder { folder in
      let path = try export(makeStore(), to: folder)
      let file = folder.appendingPathComponent("cut.ndjson.gz")
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      for count in 0..<bytes.count {
        try write(Array(bytes[..<count]), to: file)
        #expect(throws: LogError.self, "cut after \(count)") { _ = try read(file.path) }
      }
      let text = try plain(path)
      for count in stride(from: 0, to: text.count, by: trials(3, long: 1)) {
        try write(gzip(Array(text[..<count])), to: file)
        #expect(throws: LogError.self, "cut after \(count)") { _ = try read(file.path) }
      }
    }
  }

  @Test("Lines that are missing, doubled or swapped are found.")
  func lines() throws {
    try withTemporaryFolder { folder in
      let path = try export(makeStore(), to: folder)
      let file = folder.appendingPathComponent("changed.ndjson.gz")
      let lines = try plain(path).split(separator: 0x0a).map { Array($0) + [0x0a] }
      func expectRefusal(_ changed: [[UInt8]], _ what: String) throws {
        try write(gzip(changed.flatMap { $0 }), to: file)
        #expect(throws: LogError.self, "\(what)") { _ = try read(file.path) }
      }
      for index in lines.indices {
        var changed = lines
        changed.remove(at: index)
        try expectRefusal(changed, "line \(index) left out")
        changed = lines
        changed.insert(lines[index], at: index)
        try expectRefusal(changed, "line \(index) doubled")
        for other in lines.indices where other > index {
          changed = lines
          changed.swapAt(index, other)
          try expectRefusal(changed, "lines \(index) and \(other) swapped")
        }
      }
    }
  }

  @Test("A transaction with the id of another is refused: an earlier id at its first line.")
  func ids() throws {
    try withTemporaryFolder { folder in
      let text = try plain(export(makeStore(), to: folder))
      let file = folder.appendingPathComponent("other ids.ndjson.gz")
      let lines = text.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
      let closing = closing(text)
      for id in 1...3 {
        let own = lines.indices.filter { lines[$0].contains(#","txn":\#(id),"#) }
        let first = try #require(own.first)
        for other in [id - 1, id + 1] where other > 0 {
          var changed = lines
          for line in own {
            changed[line].replace(#","txn":\#(id),"#, with: #","txn":\#(other),"#)
          }
          try write(gzip(Array((changed.joined(separator: "\n") + "\n").utf8)), to: file)
          let reader = try LogReader(path: file.path)
          let error = #expect(throws: LogError.self) { while try reader.next() != nil {} }
          #expect(error?.line == (other < id ? first + 1 : closing[first]))
          #expect(error?.message.contains("the next transaction must be \(id)") == true)
          #expect(error?.transaction == Int64(id))
        }
      }
    }
  }

  @Test("A log that continues after its trailer is refused, whatever the length of the next line.")
  func afterTrailer() throws {
    try withTemporaryFolder { folder in
      let text = try plain(export(makeStore(), to: folder))
      let file = folder.appendingPathComponent("longer.ndjson.gz")
      // A reader has a part of a long line in memory, and not its end, when it reads the trailer.
      for count in [0, 1, 1000, 1 << 19, 1 << 22] {
        let line = [UInt8](repeating: 0x70, count: count) + [0x0a]
        try write(gzip(text) + gzip(line), to: file)
        let error = #expect(throws: LogError.self) { _ = try read(file.path) }
        #expect(error?.message.contains("there are lines after the trailer") == true, "\(count)")
      }
    }
  }

  @Test(
    "A closing line with a member that the writer omits is refused.",
    arguments: [
      (#""schema":""#, #""process":"","schema":""#), (#""schema":""#, #""pid":0,"schema":""#),
      (#""schema":""#, #""host":"","schema":""#), (#"","schema":""#, #"","salt":"","schema":""#),
      (#"","meta":{"#, #"","meta": {"#), ("}}\n", "} }\n"),
      (#","op":"recorded""#, #","op":"Recorded""#),
    ]
  )
  func closingLines(_ old: String, _ new: String) throws {
    try withTemporaryFolder { folder in
      let path = try export(makeStore(), to: folder)
      let lines = String(decoding: try plain(path), as: UTF8.self).split(separator: "\n")
        .map { String($0) + "\n" }
      let place = try #require(lines.firstIndex { $0.hasPrefix(#"{"kind":"transaction""#) })
      var changed = lines
      changed[place] = lines[place].replacingOccurrences(of: old, with: new)
      #expect(changed != lines)
      let file = folder.appendingPathComponent("changed.ndjson.gz")
      try Data(gzip(Array(changed.joined().utf8))).write(to: file)
      let error = #expect(throws: LogError.self) { _ = try read(file.path) }
      #expect(error?.code == .damaged)
      #expect(error?.message.hasPrefix("Line \(place + 1) of the log") == true)
    }
  }

  @Test(
    "A file that is not a log is refused with an error that says so.",
    arguments: ["", "x", "{}", "{\"kind\":\"header\"}\n", "\n\n"]
  )
  func others(_ text: String) throws {
    try withTemporaryFolder { folder in
      let file = folder.appendingPathComponent("other.ndjson.gz")
      try Data(gzip(Array(text.utf8))).write(to: file)
      let packed = #expect(throws: LogError.self) { _ = try read(file.path) }
      #expect(packed?.message.contains(file.path) == true)
      try Data(text.utf8).write(to: file)
      #expect(throws: LogError.self) { _ = try read(file.path) }
      let missing = #expect(throws: LogError.self) { _ = try read(file.path + "x") }
      #expect(missing?.code == .missing)
    }
  }

  @Test("The error of a log in a newer version of the format names the version.")
  func newer() throws {
    try withTemporaryFolder { folder in
      let path = try export(makeStore(), to: folder)
      let file = folder.appendingPathComponent("newer.ndjson.gz")
      let text = String(decoding: try plain(path), as: UTF8.self)
      let version = text.replacingOccurrences(of: "travelog/1\"", with: "travelog/2\"")
      try Data(gzip(Array(version.utf8))).write(to: file)
      let error = #expect(throws: LogError.self) { _ = try read(file.path) }
      #expect(error?.code == .newerFormat)
      #expect(error?.message.contains("“travelog/2”") == true)
      let feature = text.replacingOccurrences(
        of: #""features":"""#,
        with: #""features":"sealed""#
      )
      try Data(gzip(Array(feature.utf8))).write(to: file)
      let other = #expect(throws: LogError.self) { _ = try read(file.path) }
      #expect(other?.message.contains("does not know: sealed") == true)
    }
  }

  private func plain(_ path: String) throws -> [UInt8] {
    let handle = open(path, O_RDONLY)
    defer { close(handle) }
    let reader = try GzipReader(descriptor: handle, path: path)
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1000)
    while true {
      let count = try piece.withUnsafeMutableBytes { try reader.read(into: $0) }
      guard count > 0 else { return text }
      text += piece[..<count]
    }
  }
}
