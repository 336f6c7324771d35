import Format
import Foundation
import TestSupport
import Testing

@testable import ChangeLog

@Suite("The first line of a log")
struct LogHeaderTests {
  private func header(lineage: Int64 = 0, first: Int64 = 1) -> LogHeader {
    LogHeader(
      store: writtenStore,
      lineage: lineage,
      first: first,
      previous: SHA256.digest(of: [1]),
      schema: tripSchema,
      partial: "a \"filter\""
    )
  }

  private func read(_ line: [UInt8]) throws -> LogHeader {
    try line.withUnsafeBytes { try LogHeader(line: $0, path: "a log") }
  }

  private func expectRefusal(
    _ line: [UInt8],
    _ code: LogError.Code,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: LogError.self, sourceLocation: sourceLocation) { try read(line) }
    #expect(error?.code == code && error?.line == 1, sourceLocation: sourceLocation)
  }

  @Test(
    "The lineage and the first transaction of a header can have any number that has a next one."
  )
  func numbers() throws {
    let end: Int64 = 1 << 62
    for (lineage, first, isRight) in [
      (Int64(0), Int64(1), true), (1, 1, true), (end - 1, 1, true), (end, 1, false),
      (end + 1, 1, false), (.max, 1, false), (-1, 1, false), (.min, 1, false), (0, 0, false),
      (0, -1, false), (0, 2, true), (0, end - 1, true), (0, end, false), (0, .max, false),
      (end - 1, end - 1, true),
    ] {
      let header = header(lineage: lineage, first: first)
      let line = try header.line().dropLast()
      if isRight {
        #expect(try read(Array(line)) == header)
      } else {
        expectRefusal(Array(line), .damaged)
      }
    }
  }

  @Test("A header in another form is refused, with a code that says what the file is.")
  func refusals() throws {
    let line = String(decoding: try header().line().dropLast(), as: UTF8.self)
    func altered(_ part: String, _ other: String) -> [UInt8] {
      #expect(line.contains(part))
      return Array(line.replacing(part, with: other).utf8)
    }
    expectRefusal([], .notALog)
    for (part, other, code) in [
      (#"{"kind":"header","#, #"{"kind":"change","#, .notALog),
      (#""meta":{"format":"#, #""meta":{"from":"#, .notALog),
      (#""format":"travelog/1""#, #""format":1"#, .notALog),
      (#""features":"""#, #""features":1"#, .notALog),
      (#","features":"#, #","future":"#, .notALog), ("travelog/1", "travelog/10", .newerFormat),
      (#""features":"""#, #""features":"a, b""#, .newerFormat),
    ] as [(String, String, LogError.Code)] {
      expectRefusal(altered(part, other), code)
    }
    for (part, other) in [
      (writtenStore, "../.."), (writtenStore, String(writtenStore.dropLast())),
      ("\(SHA256.digest(of: [1]))", "00"), (#","lineage":0"#, #","lineage":00"#),
      (#","lineage":0"#, #","lineage":"0""#), (#","first":1"#, #","first":01"#),
      (#","partial":"#, #","parts":"#), (#","transactions":0"#, #","transactions":1"#),
      (#","pid":0"#, #","pid":1"#), ("}}", "}} "),
    ] {
      expectRefusal(altered(part, other), .damaged)
    }
  }

  @Test("The error for an altered header names the cause: the schema, or the first other bytes.")
  func causes() throws {
    let line = String(decoding: try header().line().dropLast(), as: UTF8.self)
    let json = try tripSchema.json()
    func quoted(_ text: String) -> String {
      var bytes: [UInt8] = []
      appendJSONString(text, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
    func digest(_ text: String) -> String { "\(SHA256.digest(of: Array(text.utf8)))" }
    func expect(
      _ message: String,
      _ definition: String,
      hasDigest: Bool = true,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(definition != json, sourceLocation: sourceLocation)
      let text = line.replacing(quoted(json), with: quoted(definition))
        .replacing(digest(json), with: digest(hasDigest ? definition : json))
      let error = #expect(throws: LogError.self, sourceLocation: sourceLocation) {
        try read(Array(text.utf8))
      }
      #expect(
        error?.code == .damaged && error?.message.contains(message) == true,
        "\(error?.message ?? "")",
        sourceLocation: sourceLocation
      )
    }
    let other = json.replacing(#""version":"1.0.0""#, with: #""version":"1.0.1""#)
    expect("does not have the digest", other, hasDigest: false)
    expect("at 'entities.0'", json.replacing(#""sharesTable""#, with: #""sharedTable""#))
    expect(
      "which is not in the schema",
      json.replacing("Tag\"", with: "Tog\"").replacing(
        #""name":"Tog""#,
        with: #""name":"Tag""#
      )
    )
    expect("it has '", json + " ", hasDigest: false)
    let deep = (0..<70).map { index in
      Entity(name: "\(100 + index)", parent: index == 0 ? nil : "\(99 + index)", table: "100")
    }
    expect("the limit is 64", try StoreSchema(version: "1", entities: deep).json())
    // The properties have another order than in the schema.
    let swapped = line.replacing(
      #""before":{"title":"","#,
      with: #""before":{"trip":"","#
    )
    #expect(swapped != line)
    let error = #expect(throws: LogError.self) { try read(Array(swapped.utf8)) }
    #expect(error?.message.contains("at byte ") == true)
  }

  /// A header whose schema has a size as JSON.
  private func header(schemaSize: Int, filledWith text: String) throws -> LogHeader {
    var header = header()
    header.schema.version = ""
    let base = try header.schema.json().utf8.count
    header.schema.version = text
    let step = try header.schema.json().utf8.count - base
    header.schema.version = String(repeating: text, count: (schemaSize - base) / step)
    header.schema.version += String(repeating: "a", count: (schemaSize - base) % step)
    #expect(try header.schema.json().utf8.count == schemaSize)
    return header
  }

  @Test("A schema may have 2 MiB as JSON, whatever its characters, and not one byte more.")
  func longestSchema() throws {
    let limit = 2_097_152
    for text in ["a", "\""] {
      let header = try header(schemaSize: limit, filledWith: text)
      #expect(try read(Array(header.line().dropLast())) == header)
    }
    let header = try header(schemaSize: limit + 1, filledWith: "a")
    let error = #expect(throws: LogError.self) { try header.line() }
    #expect(error?.code == .lineTooLong)
  }
}
