import Audit
import Format
import Foundation
import Report
import Store
import Testing

private func value(_ json: String, special: String? = nil) -> PropertyValue {
  PropertyValue(json: Array(json.utf8), special: special)
}

private let sample = ObjectDifference(
  kind: .update,
  entity: "Trip",
  id: 7,
  label: "Fjords \u{1b}[31m",
  properties: [
    PropertyDifference(name: "destination", before: value(#""Oslo""#), after: value(#""Bergen""#)),
    PropertyDifference(name: "rating", before: value("null", special: "nan"), after: value("4.0")),
    PropertyDifference(
      name: "note",
      before: value("null", special: "erased"),
      after: value("\"a\u{202e}b\"")
    ),
    PropertyDifference(
      name: "place",
      before: value("null"),
      after: value(#"{"entity":"Place","id":"3"}"#)
    ),
    PropertyDifference(
      name: "seen",
      before: value(#"[{"entity":"Place","id":"3"}]"#),
      after: value(#"[{"entity":"Place","id":"4"}]"#)
    ),
    PropertyDifference(
      name: "words",
      before: value(#""{\"a\":[1]}""#),
      after: value(#""{\"a\":[1,2]}""#),
      inside: insideDifferences(Array(#"{"a":[1]}"#.utf8), Array(#"{"a":[1,2]}"#.utf8))
    ),
  ]
)

@Suite("Texts of differences")
struct TextTests {
  @Test("A difference has a line for its object and one for each property, without control codes.")
  func difference() {
    let text = text(of: sample) { entity, id in id == 3 ? "Lake" : nil }
    #expect(
      text == """
        ~ Trip 7 “Fjords \\u{1b}[31m”
            destination: "Oslo" -> "Bergen"
            rating: nan -> 4.0
            note: (erased) -> "a\\u{202e}b"
            place: null -> Place 3 “Lake”
            - seen: Place 3 “Lake”
            + seen: Place 4
            words.a[1]: nothing -> 2

        """
    )
  }

  @Test("JSON differences have every value in the form of the logs.")
  func json() throws {
    let bytes = JSONText(sample).closed
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    )
    #expect(object["op"] as? String == "update")
    #expect(object["id"] as? String == "7")
    let properties = try #require(object["properties"] as? [[String: Any]])
    #expect(properties.map { $0["name"] as? String ?? "" } == sample.properties.map(\.name))
    #expect(properties[1]["before_special"] as? String == "nan")
    #expect(properties[1]["before"] is NSNull)
    #expect(properties[1]["after"] as? Double == 4)
    let inside = try #require(properties[5]["inside"] as? [[String: Any]])
    #expect(inside.first?["path"] as? String == "a[1]")
    #expect(inside.first?["before"] == nil)
  }

  @Test("A long value is cut, and its length is shown.")
  func long() {
    let long = value("\"" + String(repeating: "x", count: 400) + "\"")
    #expect(text(of: long, limit: 10) == "\"xxxxxxxxx… (402 characters)")
  }

  private let summary: TransactionSummary = {
    var transaction = Transaction(
      id: 412,
      time: "2026-11-03T08:00:12.345678Z",
      operation: .foreign,
      author: "app\u{7}",
      process: "trips",
      processID: 7,
      host: "host",
      schema: "",
      count: 3
    )
    transaction.state = .erased
    var trips = ChangeCounts()
    trips.inserted = 1
    trips.updated = 2
    return TransactionSummary(
      transaction: transaction,
      entities: [EntityCounts(entity: "Trip", counts: trips)]
    )
  }()

  @Test("Rows of a table that was recorded again are not shown as insertions.")
  func recordedAgain() {
    var transaction = summary.transaction
    transaction.operation = .difference
    transaction.details = #"{"boundary":"proven","replaced":["Trip"],"captured":false}"#
    var counts = ChangeCounts()
    counts.inserted = 9
    let again = TransactionSummary(
      transaction: transaction,
      entities: ["Place", "Trip"].map { EntityCounts(entity: $0, counts: counts) }
    )
    let line = textTimeline(Marks(), width: 5, hasStatistics: false, hasChanges: false)
    #expect(String(decoding: line.head(again), as: UTF8.self).contains("  +9 Place, =9 Trip"))
    #expect(again.total.all == 9)
  }

  @Test("A transaction is shown as one line, or whole with everything that is known of it.")
  func transaction() {
    let line = textTimeline(Marks(), width: 5, hasStatistics: true, hasChanges: false)
    #expect(
      String(decoding: line.head(summary), as: UTF8.self) == """
          412  2026-11-03T08:00:12Z  app\\u{7}  [foreign, erased]  +1 ~2 Trip
            Trip: 1 inserted, 2 updated, 0 deleted

        """
    )
    #expect(
      String(decoding: textTransaction(Marks()).head(summary), as: UTF8.self) == """
        transaction 412
        time:    2026-11-03T08:00:12.345678Z
        author:  app\\u{7}
        kind:    foreign, erased
        process: trips 7 on host
        changes: 3  +1 ~2


        """
    )
  }

  @Test("A table of differences escapes quotes, commas and line breaks in its cells.")
  func table() {
    let rows = DifferenceTable.rows(of: sample)
    #expect(rows.contains(#",destination,"""Oslo""","""Bergen""",,"#))
    #expect(rows.contains(",rating,null,4.0,nan,"))
    #expect(rows.split(whereSeparator: \.isNewline).count == sample.properties.count)
  }
}
