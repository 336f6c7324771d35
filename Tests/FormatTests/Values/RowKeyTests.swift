import Foundation
import TestSupport
import Testing

@testable import Format

@Suite("The key of a row and the id of an object")
struct RowKeyTests {
  private func id(_ key: Value..., rowid: Int64? = 5) throws -> ObjectID {
    ObjectID(try #require(RowName(key: key, rowid: rowid)))
  }

  private func randomID(_ random: inout SeededGenerator) throws -> ObjectID {
    if Bool.random(using: &random) {
      return ObjectID(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random))
    }
    let key = (0..<Int.random(in: 1...3, using: &random)).map { _ in randomValue(using: &random) }
    return ObjectID(try #require(RowName(key: key, rowid: .random(in: -9...9, using: &random))))
  }

  private func json(_ id: ObjectID) throws -> String {
    String(decoding: try JSONEncoder().encode(id), as: UTF8.self)
  }

  private func decoded(_ json: String) throws -> ObjectID {
    try JSONDecoder().decode(ObjectID.self, from: Data(json.utf8))
  }

  @Test("A key of one integer is an integer id without a text, at both limits too.")
  func integers() throws {
    for number: Int64 in [0, 7, -7, .min, .max] {
      let id = try id(.integer(number))
      #expect(id == ObjectID(number) && id.hashValue == ObjectID(number).hashValue)
      #expect(id.integer == number && id.text == nil)
      #expect(id.description == String(number))
    }
    #expect(try id(rowid: 9) == 9)
  }

  @Test("Every other key is a name, whose text has the storage classes of the columns.")
  func names() throws {
    let keys: [(ObjectID, String)] = try [
      (id(.text("a")), #"["text:a"]"#),
      (id(.text("")), #"["text:"]"#),
      (id(.text("7")), #"["text:7"]"#),
      (id(.real(7)), #"["real:7.0"]"#),
      (id(.real(-.infinity)), #"["real:-inf"]"#),
      (id(.blob(Data([0, 255]))), #"["blob:AP8="]"#),
      (id(.brokenText(Data([255]))), #"["text64:/w=="]"#),
      (id(.null), #"["rowid:5"]"#),
      (id(.integer(7), .null), #"["rowid:5"]"#),
      (id(.integer(7), .text("a\"\n")), #"["integer:7","text:a\"\n"]"#),
    ]
    for (id, text) in keys {
      #expect(id.text == text && id.description == text)
      #expect(id.integer == 0 && id != 0)
    }
  }

  @Test("Two ids are equal only if their texts have the same bytes.")
  func equality() throws {
    let (composed, decomposed) = try (id(.text("\u{e9}")), id(.text("e\u{301}")))
    #expect(composed.text == decomposed.text)
    #expect(composed != decomposed)
    #expect(try composed == id(.text("\u{e9}")))
    #expect(try Set([composed, decomposed, id(.text("\u{e9}"))]).count == 2)
    let others: [ObjectID] = try [
      id(.integer(7)), id(.real(7)), id(.text("7")), id(.blob(Data("7".utf8))), id(.null),
      id(.integer(5)), id(.integer(7), .integer(7)), id(.real(0)), id(.real(-0.0)), 0,
    ]
    #expect(Set(others).count == others.count)
  }

  @Test("Integers are ordered as numbers, names by the bytes of their texts, after all integers.")
  func order() throws {
    let ascending: [ObjectID] = try [
      ObjectID(.min), -10, -9, 0, 9, 10, ObjectID(.max), id(.blob(Data())), id(.integer(1), .null),
      id(.text("B")), id(.text("a"), .integer(1)), id(.text("a")), id(.text("e\u{301}")),
      id(.text("\u{e9}")),
    ]
    #expect(ascending.shuffled().sorted() == ascending)
    for (one, next) in zip(ascending, ascending.dropFirst()) {
      #expect(one < next && !(next < one) && !(one < one))
    }
  }

  @Test("Random ids have one strict order, which agrees with their equality and their hashes.")
  func randomOrder() throws {
    var random = SeededGenerator(for: "order of ids")
    for _ in 0..<trials(5_000, long: 500_000) {
      let ids = try (0..<3).map { _ in try randomID(&random) }
      for one in ids {
        for other in ids {
          let isEqual = one.description.utf8.elementsEqual(other.description.utf8)
          #expect((one == other) == isEqual, "\(one) \(other)")
          #expect([one < other, other < one, one == other].count { $0 } == 1, "\(one) \(other)")
          if isEqual { #expect(one.hashValue == other.hashValue) }
        }
      }
      let sorted = ids.sorted()
      #expect(!(sorted[2] < sorted[0]), "\(ids)")
    }
  }

  @Test("Rows are ordered by their entities, and then by their ids.")
  func rows() throws {
    let ascending = try [
      RowKey(entity: 0, id: 9), RowKey(entity: 0, id: 10), RowKey(entity: 0, id: id(.text("a"))),
      RowKey(entity: 1, id: -1), RowKey(entity: 1, id: 9),
    ]
    #expect(ascending.reversed().sorted() == ascending)
    #expect(!(ascending[4] < ascending[0]) && !(ascending[0] < ascending[0]))
    #expect(Set(ascending).count == 5)
    #expect(RowKey(entity: 0, id: 9) == ascending[0])
  }

  @Test("An id is a number or a text in JSON, and the same id is read from it.")
  func coding() throws {
    #expect(try json(-7) == "-7")
    #expect(try json(id(.text("a"))) == #""[\"text:a\"]""#)
    var random = SeededGenerator(for: "ids in JSON")
    for _ in 0..<trials(2_000, long: 200_000) {
      let id = try randomID(&random)
      #expect(try decoded(json(id)) == id)
      #expect(ObjectID(RowName(id)) == id)
      #expect(RowName(id).description == id.description)
    }
    #expect(try decoded(#""7""#) == 7)
  }

  @Test(
    "JSON that is not the canonical text of an id is refused.",
    arguments: [
      #""""#, #""07""#, #""-0""#, #""+7""#, #"" 7""#, #""9223372036854775808""#, #""a""#, #""[]""#,
      #""[\"a\"]""#, #""[\"integer:7\"]""#, #""[\"text:a\",\"null\"]""#, #""[\"text:a\" ]""#,
      #""[\"text:\\u0061\"]""#, #""[\"text:a\"]x""#, #""[\"real:7\"]""#, #""[\"real:nan\"]""#,
      #""[\"blob:AP8\"]""#, #""[\"text64:YQ==\"]""#, #""[\"rowid:05\"]""#, "1.5",
      "9223372036854775808", "null", "true", "[7]", "{}",
    ]
  )
  func refused(json: String) {
    #expect(throws: DecodingError.self) { try decoded(json) }
  }

  @Test("The refusal of an id shows the refused text.")
  func refusal() {
    let error = #expect(throws: DecodingError.self) { try decoded(#""07""#) }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription == "'07' is not the text of a key")
  }
}
