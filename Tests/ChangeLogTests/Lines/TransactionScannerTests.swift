import Format
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

  @Test("A transaction's id is from 1 to 2^62 - 1.")
  func ids() {
    let (first, last): (Int64, Int64) = (1, 4_611_686_018_427_387_903)
    for (id, isRight) in [(first, true), (last, true), (0, false), (-1, false), (last + 1, false)] {
      let transaction = transaction(count: 1) { $0.id = id }
      let lines = [line(transaction, 0), closing(transaction)]
      #expect(accepted(lines, TransactionScanner()) == (isRight ? 2 : 0), "\(id)")
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
    for (key, count) in [(empty, 0), (full, 1)] {
      let line = Array(text.replacing(start, with: start + key).utf8)
      #expect(accepted([line], TransactionScanner()) == count, "\(key)")
    }
  }

  @Test("An author that is not a JSON string is refused, also if no author was read before.")
  func authorWithoutText() {
    let text = String(decoding: closing(transaction(count: 0, author: nil)), as: UTF8.self)
    let start = #","op":""#
    #expect(text.contains(start))
    for (author, isText) in [(#""""#, true), ("", false), ("x", false), ("null", false)] {
      let line = Array(text.replacing(start, with: #","author":"# + author + start).utf8)
      #expect(accepted([line], TransactionScanner()) == (isText ? 1 : 0), "\(author)")
    }
  }
}
