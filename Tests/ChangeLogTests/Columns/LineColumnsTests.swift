import Foundation
import TestSupport
import Testing

@testable import ChangeLog

/// A value of a row: nil, a text, a number, or what a list or map contains.
private indirect enum Cell: Equatable {
  case null
  case text(String)
  case number(Int64)
  case list([Cell])
  case map([String: Cell])
}

@Suite("The columns of lines")
struct LineColumnsTests {
  private let place = LineColumns.Place(
    store: Array("S".utf8),
    partial: [],
    lineage: 3,
    schema: Array("D".utf8)
  )

  @Test("Every value of random lines is in its column as the line spells it")
  func randomLines() throws {
    var random = SeededGenerator(for: "columns")
    let columns = LineColumns()
    var expected: [[String: Cell]] = []
    for number in 0..<500 {
      let (line, row) = randomLine(number, using: &random)
      expected.append(row)
      try columns.appendText(line, at: place)
    }
    #expect(rows(columns) == expected)
  }

  @Test(
    "Only the lines of transactions after a position become rows, and a snapshot names its point"
  )
  func position() throws {
    var place = place
    (place.after, place.previous) = (7, Array("P".utf8))
    let columns = LineColumns()
    for id in 6...9 {
      let line = #"{"kind":"transaction","txn":\#(id),"digest":"d","meta":{"pid":1}}"#
      try columns.appendText(line, at: place)
    }
    let found = rows(columns)
    #expect(found.map { $0["txn"] } == [.number(8), .number(9)])
    #expect(found[0]["meta"] == .map(["pid": .text("1"), "previous": .text("P")]))
  }

  @Test("A line with a key that no column has is refused")
  func unknownKey() {
    let line = #"{"kind":"transaction","txn":1,"digest":"d","other":1}"#
    #expect(throws: Refusal.self) { try LineColumns().appendText(line, at: place) }
  }

  @Test("A number is 64 bits wide and a text can be empty or have every escape")
  func limits() throws {
    let columns = LineColumns()
    let line =
      #"{"kind":"change","txn":9223372036854775807,"id":"","after":{"a":"\"\\\b\t\n\f\r\u001f"}}"#
    try columns.appendText(line, at: place)
    let row = try #require(rows(columns).first)
    #expect(row["txn"] == .number(.max))
    #expect(row["id"] == .text(""))
    #expect(row["after"] == .map(["a": .text("\"\\\u{8}\t\n\u{c}\r\u{1f}")]))
  }

  // MARK: Random lines

  private func randomLine(
    _ number: Int,
    using random: inout SeededGenerator
  ) -> (line: String, row: [String: Cell]) {
    var row: [String: Cell] = [
      "store": .text("S"), "partial": .text(""), "lineage": .number(3), "schema": .text("D"),
      "kind": .text("change"), "txn": .number(Int64(number)),
    ]
    var line = #"{"kind":"change","txn":\#(number)"#
    func has() -> Bool { Bool.random(using: &random) }
    for key in ["seq", "n", "count"] {
      let value = Int64.random(in: 0 ... .max, using: &random)
      row[key] = has() ? .number(value) : .null
      if row[key] != .null { line += #","\#(key)":\#(value)"# }
    }
    func addText(_ key: String) {
      let (json, cell) = randomText(using: &random)
      row[key] = has() ? cell : .null
      if row[key] != .null { line += #","\#(key)":\#(json)"# }
    }
    addText("ts")
    addText("author")
    if has() { line += #","seed":"3:AAAA""# }
    for key in ["op", "entity", "id"] { addText(key) }
    let names = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      randomText(using: &random)
    }
    row["changed"] = has() ? .list(names.map(\.cell)) : .null
    if row["changed"] != .null {
      line += #","changed":[\#(names.map(\.json).joined(separator: ","))]"#
    }
    for key in ["before", "after"] {
      let (json, cell) = randomObject(using: &random)
      row[key] = has() ? cell : .null
      if row[key] != .null { line += #","\#(key)":\#(json)"# }
    }
    for key in ["special", "large"] {
      var parts: [String] = []
      for side in ["after", "before"] {
        let (json, cell) = randomObject(using: &random)
        row["\(key)_\(side)"] = has() ? cell : .null
        if row["\(key)_\(side)"] != .null { parts.append(#""\#(side)":\#(json)"#) }
      }
      if !parts.isEmpty { line += #","\#(key)":{\#(parts.joined(separator: ","))}"# }
    }
    for key in ["reason", "request", "digest"] { addText(key) }
    let (json, cell) = randomObject(using: &random)
    row["meta"] = has() ? cell : .null
    if row["meta"] != .null { line += #","meta":\#(json)"# }
    return (line + "}", row)
  }

  private func randomText(using random: inout SeededGenerator) -> (json: String, cell: Cell) {
    let parts = [
      ("a", "a"), ("ø🏔", "ø🏔"), (#"\""#, "\""), (#"\\"#, "\\"), (#"\n"#, "\n"),
      (#"\u0001"#, "\u{1}"), (#"},{"#, "},{"), (#"null"#, "null"), (",", ","), ("", ""),
    ]
    let chosen = (0..<Int.random(in: 0...5, using: &random)).map { _ in
      parts[Int.random(in: 0..<parts.count, using: &random)]
    }
    return (#""\#(chosen.map(\.0).joined())""#, .text(chosen.map(\.1).joined()))
  }

  private func randomObject(using random: inout SeededGenerator) -> (json: String, cell: Cell) {
    var members: [String] = []
    var cells: [String: Cell] = [:]
    for number in 0..<Int.random(in: 0...4, using: &random) {
      let raw = ["null", "true", "-12", "1e-05", #"[{"id":"7"},[1,"]"]]"#, #"{"a":"}","b":{}}"#]
      var (json, cell) = randomText(using: &random)
      if Bool.random(using: &random) {
        json = raw[Int.random(in: 0..<raw.count, using: &random)]
        cell = json == "null" ? .null : .text(json)
      }
      members.append(#""k\n\#(number)":\#(json)"#)
      cells["k\n\(number)"] = cell
    }
    return ("{\(members.joined(separator: ","))}", .map(cells))
  }

  // MARK: Reading columns

  private func rows(_ columns: LineColumns) -> [[String: Cell]] {
    let named = columns.stream.columns.map { ($0.name, cells($0.column)) }
    return (0..<columns.count).map { place in
      Dictionary(uniqueKeysWithValues: named.map { ($0.0, $0.1[place]) })
    }
  }

  private func cells(_ column: any ArrowColumn) -> [Cell] {
    var buffers: [[UInt8]] = []
    column.withBuffers { buffers.append(Array($0)) }
    func isValid(_ place: Int) -> Bool {
      buffers[0].isEmpty || buffers[0][place / 8] >> UInt8(place % 8) & 1 == 1
    }
    func integers<Value: FixedWidthInteger>(_ buffer: Int, as type: Value.Type) -> [Value] {
      buffers[buffer].withUnsafeBytes { bytes in
        stride(from: 0, to: bytes.count, by: Value.bitWidth / 8).map {
          bytes.loadUnaligned(fromByteOffset: $0, as: type)
        }
      }
    }
    switch column {
    case is ArrowIntegers:
      let values = integers(1, as: Int64.self)
      return (0..<column.count).map { isValid($0) ? .number(values[$0]) : .null }
    case is ArrowTexts:
      let ends = integers(1, as: Int32.self).map(Int.init)
      return (0..<column.count).map {
        let bytes = buffers[2][ends[$0]..<ends[$0 + 1]]
        return isValid($0) ? .text(String(decoding: bytes, as: UTF8.self)) : .null
      }
    case let lists as ArrowLists:
      let ends = integers(1, as: Int32.self).map(Int.init)
      let items = cells(lists.items)
      return (0..<column.count).map {
        isValid($0) ? .list(Array(items[ends[$0]..<ends[$0 + 1]])) : .null
      }
    case let maps as ArrowMaps:
      let ends = integers(1, as: Int32.self).map(Int.init)
      let (keys, values) = (cells(maps.entries.keys), cells(maps.entries.values))
      return (0..<column.count).map { row in
        guard isValid(row) else { return .null }
        var found: [String: Cell] = [:]
        for place in ends[row]..<ends[row + 1] {
          if case .text(let key) = keys[place] { found[key] = values[place] }
        }
        return .map(found)
      }
    default: return []
    }
  }
}

extension LineColumns {
  fileprivate func appendText(_ line: String, at place: Place) throws {
    try Array(line.utf8).withUnsafeBytes { try append($0, at: place) }
  }
}
