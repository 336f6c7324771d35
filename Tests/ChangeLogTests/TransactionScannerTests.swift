import Changes
import Foundation
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Reading the lines of a transaction")
struct TransactionScannerTests {
  private let digest = SHA256.digest(of: Array("digest".utf8))

  private func transaction(
    count: Int64,
    author: String? = "a \"b\"",
    _ change: (inout Transaction) -> Void = { _ in }
  ) -> Transaction {
    var transaction = Transaction(
      id: 12,
      time: "2026-09-20T10:11:12.000013Z",
      author: author,
      schema: "abc",
      count: count,
      seed: count > 0 ? Seed(bytes: Array(0..<16)) : nil
    )
    transaction.digest = digest
    change(&transaction)
    return transaction
  }

  /// The line of a change, without its line break.
  private func line(
    _ transaction: Transaction,
    _ sequence: Int64,
    kind: ChangeKind = .update,
    entity: String = "Trip",
    members: Int = 31
  ) -> [UInt8] {
    let texts = [
      #"["a","b"]"#, #"{"a":"x","b":null}"#, #"{"a":"}\"","b":[1,{"c":2}]}"#, #"{"after":{"a":1}}"#,
      #"{"before":{"a":"d"}}"#,
    ].enumerated().map { members >> $0.offset & 1 == 1 ? Array($0.element.utf8) : [] }
    var result: [UInt8] = []
    with(texts + [Array(entity.utf8)]) { bytes in
      let change = Change(
        kind: kind,
        sequence: sequence,
        entity: bytes[5],
        object: -7 + sequence,
        changed: bytes[0],
        before: bytes[1],
        after: bytes[2],
        special: bytes[3],
        large: bytes[4]
      )
      TransactionLines(transaction).append(change, to: &result)
    }
    return result.dropLast()
  }

  private func with(_ texts: [[UInt8]], _ body: ([UnsafeRawBufferPointer]) -> Void) {
    let copies = texts.map { text in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
      copy.copyBytes(from: text)
      return copy
    }
    body(copies.map { UnsafeRawBufferPointer($0) })
    for copy in copies { copy.deallocate() }
  }

  private func closing(_ transaction: Transaction) -> [UInt8] {
    var line: [UInt8] = []
    TransactionLines(transaction).appendClosing(digest: transaction.digest, to: &line)
    return line.dropLast()
  }

  @Test("Any change is read with the members that JSONSerialization finds in its line.")
  func changes() throws {
    for members in 0..<32 {
      for kind in ChangeKind.allCases {
        for (author, entity) in [(nil, "Trip"), ("a \"b\"", "T\"r\\i\n")] {
          let transaction = transaction(count: 1, author: author)
          let line = line(transaction, 0, kind: kind, entity: entity, members: members)
          let object = try #require(
            JSONSerialization.jsonObject(with: Data(line)) as? NSDictionary
          )
          let scanner = TransactionScanner()
          try line.withUnsafeBytes { bytes in
            let change = try scanner.change(bytes)
            #expect(change.kind.rawValue == object["op"] as? String)
            #expect(String(decoding: change.entity, as: UTF8.self) == object["entity"] as? String)
            #expect(String(change.object) == object["id"] as? String)
            #expect(change.sequence == object["seq"] as? Int64)
            for (key, value) in [
              ("changed", change.changed), ("before", change.before), ("after", change.after),
              ("special", change.special), ("large", change.large),
            ] {
              let found = value.isEmpty ? nil : try JSONSerialization.jsonObject(with: Data(value))
              #expect(found as? NSObject == object[key] as? NSObject, "\(key)")
            }
          }
          let opened = try #require(try scanner.opened())
          #expect(opened.id == 12 && opened.count == 1)
          #expect(opened.time == object["ts"] as? String)
          #expect(opened.author == object["author"] as? String)
        }
      }
    }
  }

  @Test("Any closing line is read with the properties that its transaction was written with.")
  func transactions() throws {
    for bits in 0..<256 {
      for operation in TransactionOperation.allCases {
        let written = transaction(count: 0, author: bits & 1 == 0 ? nil : "me") {
          $0.operation = operation
          if bits & 2 != 0 { $0.process = "p\u{1}" }
          if bits & 4 != 0 { $0.processID = 99 }
          if bits & 8 != 0 { $0.host = "höst" }
          if bits & 16 != 0 { $0.bundle = "" }
          if bits & 32 != 0 {
            $0.details = #"{"a":"b"}"#
          }
          if bits & 64 != 0 { $0.reason = "ticket 7\n\",\"request\":\"" }
          if bits & 128 != 0 { $0.request = "POST /pay\u{0}\",\"digest\":\"é" }
        }
        let read = try closing(written).withUnsafeBytes {
          try TransactionScanner().transaction($0)
        }
        #expect(read == written)
      }
    }
  }

  @Test("A line with a changed byte is refused, unless it is the exact line of another change.")
  func changedBytes() throws {
    let transaction = transaction(count: 1)
    let line = line(transaction, 0, members: 3)
    var accepted = 0
    for place in line.indices {
      for byte in Array("\"\\0a}{, \u{0}".utf8) + [0xff] where byte != line[place] {
        var changed = line
        changed[place] = byte
        changed.withUnsafeBytes { bytes in
          let scanner = TransactionScanner()
          guard let change = try? scanner.change(bytes), let opened = try? scanner.opened(),
            // No schema has such a name, and the caller compares it with the schema.
            !change.entity.contains(0)
          else { return }
          var again: [UInt8] = []
          TransactionLines(opened).append(change, to: &again)
          #expect(
            again.dropLast().elementsEqual(bytes),
            "\(String(decoding: bytes, as: UTF8.self))"
          )
          accepted += 1
        }
      }
      // No part of a line is accepted.
      _ = line[..<place].withUnsafeBytes { bytes in
        #expect(throws: Refusal.self) { _ = try TransactionScanner().change(bytes) }
      }
    }
    #expect(accepted > 0)
  }

  @Test("A closing line with a changed byte is refused, unless another transaction has that line.")
  func changedClosing() throws {
    let line = closing(
      transaction(count: 3) {
        $0.process = "p"
      }
    )
    for place in line.indices {
      for byte in Array("\"\\0a}{, \u{0}".utf8) + [0xff] where byte != line[place] {
        var changed = line
        changed[place] = byte
        changed.withUnsafeBytes { bytes in
          guard let read = try? TransactionScanner().transaction(bytes, isAlone: true),
            // The caller compares it with the header's schema.
            read.schema.utf8.count == 3
          else { return }
          #expect(
            closing(read).elementsEqual(bytes),
            "\(String(decoding: bytes, as: UTF8.self))"
          )
        }
      }
      _ = line[..<place].withUnsafeBytes { bytes in
        #expect(throws: Refusal.self) {
          _ = try TransactionScanner().transaction(bytes, isAlone: true)
        }
      }
    }
  }

  /// Reads lines until one is refused, and returns how many were accepted.
  private func accepted(_ lines: [[UInt8]], _ scanner: TransactionScanner) -> Int {
    for (index, line) in lines.enumerated() {
      do {
        try line.withUnsafeBytes { bytes in
          if bytes.starts(with: Array(#"{"kind":"change""#.utf8)) {
            _ = try scanner.change(bytes)
          } else {
            _ = try scanner.transaction(bytes)
          }
        }
      } catch {
        return index
      }
    }
    return lines.count
  }

  @Test("A transaction's lines are accepted only in ascending order of their places.")
  func orders() {
    let transaction = transaction(count: 3)
    let lines = (0..<3).map { line(transaction, $0) } + [closing(transaction)]
    for code in 0..<256 {
      let places = (0..<4).map { code >> (2 * $0) & 3 }
      let count = accepted(places.map { lines[$0] }, TransactionScanner())
      #expect(count == zip(places, 0..<4).prefix { $0 == $1 }.count, "\(places)")
    }
  }

  @Test("Lines of one transaction that contradict each other are refused.")
  func disagreement() {
    let first = transaction(count: 2)
    for other in [
      transaction(count: 2) { $0.id = 13 }, transaction(count: 3),
      transaction(count: 2, author: nil),
      transaction(count: 2) { $0.time = "2026-09-20T10:11:12.000014Z" },
    ] {
      #expect(accepted([line(first, 0), line(other, 1)], TransactionScanner()) == 1)
      #expect(
        accepted([line(first, 0), line(first, 1), closing(other)], TransactionScanner()) == 2
      )
    }
  }

  @Test("After a closing line another transaction begins, with its own id, time and author.")
  func several() {
    let one = transaction(count: 1)
    let two = transaction(count: 1, author: nil) { $0.id = 13 }
    let lines = [one, two].flatMap { [line($0, 0), closing($0)] }
    #expect(accepted(lines, TransactionScanner()) == 4)
  }

  private func omission(_ text: String, _ scanner: TransactionScanner) throws -> Omission {
    try Array(text.utf8).withUnsafeBytes { try scanner.omission($0) }
  }

  @Test("A line for omitted lines has one form, and continues where the lines before it end.")
  func omissions() throws {
    func filtered() -> TransactionScanner {
      let scanner = TransactionScanner()
      scanner.isFiltered = true
      return scanner
    }
    let end = #","digest":"\#(digest)"}"#
    let whole = #"{"kind":"omitted","txn":12"# + end
    #expect(try omission(whole, filtered()) == Omission(transaction: 12))
    let first = #"{"kind":"omitted","txn":12,"seq":0,"n":5,"count":2"# + end
    let second = #"{"kind":"omitted","txn":12,"seq":2,"n":5,"count":3"# + end
    let scanner = filtered()
    #expect(try omission(first, scanner) == Omission(transaction: 12, lines: 0..<2))
    #expect(throws: Refusal.self) { try omission(whole, scanner) }
    #expect(throws: Refusal.self) { try omission(first, scanner) }
    for (part, other) in [("\"txn\":12", "\"txn\":13"), ("\"n\":5", "\"n\":6")] {
      #expect(throws: Refusal.self) { try omission(second.replacing(part, with: other), scanner) }
    }
    #expect(try omission(second, scanner) == Omission(transaction: 12, lines: 2..<5))
    #expect(throws: Refusal.self) { try omission(whole, TransactionScanner()) }
    for (part, other) in [
      ("\"}", "\"} "), ("\"}", "\"}}"), ("\"}", "\""), (end, #","digest":"0a"}"#),
      (#""count":2"#, #""count":0"#), (#""count":2"#, #""count":6"#), (#""seq":0"#, #""seq":1"#),
      (#""txn":12"#, #""txn":"12""#), (#","n":5"#, ""),
    ] {
      let altered = first.replacing(part, with: other)
      #expect(altered != first)
      #expect(throws: Refusal.self, "\(altered)") { try omission(altered, filtered()) }
    }
  }

  private func expectRefusal(
    _ message: String,
    _ line: [UInt8],
    _ scanner: TransactionScanner = TransactionScanner(),
    isClosing: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let refusal = #expect(throws: Refusal.self, sourceLocation: sourceLocation) {
      try line.withUnsafeBytes {
        if isClosing { _ = try scanner.transaction($0) } else { _ = try scanner.change($0) }
      }
    }
    #expect(refusal?.message == message, sourceLocation: sourceLocation)
  }

  @Test("A line of a change with a place after the last one is refused, and so is a skipped place.")
  func places() {
    let transaction = transaction(count: 2)
    for (before, place) in [(Int64(0), Int64(1)), (0, 2), (1, 0), (1, 2), (2, 2), (2, 1)] {
      let scanner = TransactionScanner()
      let lines = (0..<before).map { line(transaction, $0) }
      #expect(accepted(lines, scanner) == Int(before))
      expectRefusal(
        "the line is change \(place) of 2, but \(before) must be next",
        line(transaction, place),
        scanner
      )
    }
  }

  @Test("A line with text after its end is refused.")
  func textAfterEnd() {
    let one = transaction(count: 1)
    expectRefusal("the line has text after its end", line(one, 0) + [0x20])
    expectRefusal(
      "the line has text after its end",
      closing(transaction(count: 0)) + [0x20],
      isClosing: true
    )
  }

  @Test("A closing line with another number of changes than were read is refused.")
  func countOfChanges() {
    let three = transaction(count: 3)
    expectRefusal(
      "the line closes 3 changes, but 0 were read",
      closing(three),
      isClosing: true
    )
    let scanner = TransactionScanner()
    #expect(accepted([line(three, 0), line(three, 1)], scanner) == 2)
    expectRefusal(
      "the line closes 3 changes, but 2 were read",
      closing(three),
      scanner,
      isClosing: true
    )
  }

  @Test("After lines that were omitted, the closing line must have the same number of changes.")
  func closingAfterOmission() throws {
    let scanner = TransactionScanner()
    scanner.isFiltered = true
    let text = #"{"kind":"omitted","txn":12,"seq":0,"n":5,"count":5,"digest":"\#(digest)"}"#
    #expect(try omission(text, scanner) == Omission(transaction: 12, lines: 0..<5))
    // The omitted lines do not contain the time.
    #expect(try scanner.opened() == nil)
    expectRefusal(
      "the line contradicts the previous line about transaction 12",
      closing(transaction(count: 6)),
      scanner,
      isClosing: true
    )
    let read = try closing(transaction(count: 5)).withUnsafeBytes { try scanner.transaction($0) }
    #expect(read.count == 5 && read.seed == nil)
  }

  @Test("Omitted lines may reach the end of their transaction, and not one line further.")
  func omittedToEnd() throws {
    for (count, isRight) in [(2, true), (3, true), (4, false)] {
      let scanner = TransactionScanner()
      scanner.isFiltered = true
      let end = #","digest":"\#(digest)"}"#
      _ = try omission(#"{"kind":"omitted","txn":12,"seq":0,"n":5,"count":2"# + end, scanner)
      let second = #"{"kind":"omitted","txn":12,"seq":2,"n":5,"count":\#(count)"# + end
      if isRight {
        #expect(
          try omission(second, scanner) == Omission(transaction: 12, lines: 2..<2 + Int64(count))
        )
      } else {
        let refusal = #expect(throws: Refusal.self) { try omission(second, scanner) }
        #expect(refusal?.message == "the next line must be 2 of 5")
      }
    }
  }

  @Test("Only a line with the seed of all lines has no leaf, and only erased values have a salt.")
  func leaves() throws {
    for hidden in [[], [0], [1], [2], [0, 2], [0, 1, 2]] as [Set<Int>] {
      let tree = TreeTransaction(3, count: 3, hiding: hidden)
      let scanner = TransactionScanner()
      for (place, line) in tree.lines.enumerated() {
        let text = String(decoding: line, as: UTF8.self)
        let hasLeaf = !hidden.isEmpty && (text.contains(#","seed":""#) || hidden.contains(place))
        try line.withUnsafeBytes { bytes in
          let change = try scanner.change(bytes)
          #expect(!change.leaf.isEmpty == hasLeaf, "\(hidden) \(place)")
          #expect(change.isHidden == hidden.contains(place), "\(hidden) \(place)")
        }
      }
      let opened = try scanner.opened()
      #expect((opened?.seed != nil) == hidden.isEmpty)
      let read = try tree.closing.withUnsafeBytes { try scanner.transaction($0) }
      #expect((read.seed != nil) == hidden.isEmpty)
      #expect((read.state == .erased) == !hidden.isEmpty, "\(hidden)")
    }
  }

  @Test("A hidden line must have a salt, unless the log is filtered.")
  func salts() throws {
    let salted = String(decoding: TreeTransaction(3, count: 1, hiding: [0]).lines[0], as: UTF8.self)
    let start = try #require(salted.range(of: #","salt":""#)?.lowerBound)
    let end = try #require(salted.range(of: #","op":"update""#)?.lowerBound)
    let unsalted = Array((salted[..<start] + salted[end...]).utf8)
    let filtered = TransactionScanner()
    filtered.isFiltered = true
    expectRefusal("the line must have a salt", unsalted)
    expectRefusal("the line must not have a salt", Array(salted.utf8), filtered)
    let scanner = TransactionScanner()
    scanner.isFiltered = true
    try unsalted.withUnsafeBytes {
      let change = try scanner.change($0)
      #expect(change.isHidden)
    }
    #expect(!scanner.hasErased)
  }

  @Test("A row of an adopted table has its name instead of an integer id.")
  func rowNames() throws {
    let one = transaction(count: 1)
    let text = String(decoding: line(one, 0), as: UTF8.self)
    let named = text.replacing(#""id":"-7""#, with: #""id":"[\"a\"]""#)
    #expect(named != text)
    try Array(named.utf8).withUnsafeBytes { bytes in
      let scanner = TransactionScanner()
      let change = try scanner.change(bytes)
      #expect(change.object == 0 && change.name.elementsEqual(#"["a"]"#.utf8))
      // The scanner has the bytes of the name.
      withExtendedLifetime(scanner) {}
    }
  }

  @Test("A transaction's id is from 1 to 2^62 - 1.")
  func ids() {
    let (first, last): (Int64, Int64) = (1, 4_611_686_018_427_387_903)
    for (id, isRight) in [(first, true), (last, true), (0, false), (-1, false), (last + 1, false)] {
      let transaction = transaction(count: 1) { $0.id = id }
      if isRight {
        #expect(accepted([line(transaction, 0), closing(transaction)], TransactionScanner()) == 2)
      } else {
        expectRefusal("no transaction has the number \(id)", line(transaction, 0))
      }
    }
  }

  @Test(
    "A closing line with a key that has no value is refused, and the same key may have a value.",
    arguments: [
      (#""process":"","#, #""process":"p","#), (#""pid":0,"#, #""pid":1,"#),
      (#""host":"","#, #""host":"h","#),
    ]
  )
  func keysWithoutValues(_ empty: String, _ full: String) {
    let text = String(decoding: closing(transaction(count: 0)), as: UTF8.self)
    let start = #","meta":{"#
    #expect(text.contains(start + #""schema":"abc"}}"#))
    expectRefusal(
      "a key of the line has no value",
      Array(text.replacing(start, with: start + empty).utf8),
      isClosing: true
    )
    let right = Array(text.replacing(start, with: start + full).utf8)
    #expect(accepted([right], TransactionScanner()) == 1)
  }

  @Test("An author that is not a JSON string is refused, also if no author was read before.")
  func authorWithoutText() {
    let text = String(decoding: closing(transaction(count: 0, author: nil)), as: UTF8.self)
    let start = #","op":""#
    #expect(text.contains(start))
    for (author, isText) in [(#""""#, true), ("", false), ("x", false), ("null", false)] {
      let line = Array(text.replacing(start, with: #","author":"# + author + start).utf8)
      let scanner = TransactionScanner()
      if isText { #expect(accepted([line], scanner) == 1) }
      guard !isText else { continue }
      let refusal = "a text is missing or does not have the required form"
      expectRefusal(refusal, line, isClosing: true)
    }
  }
}
