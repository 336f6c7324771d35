import Changes
import TestSupport
import Testing

/// The indexes of the entities, which the schema sorts by name.
private let item = 0
private let trip = 3

@Suite("Differences of schemas")
struct SchemaDifferenceTests {
  private func differences(_ change: (inout StoreSchema) -> Void) -> [String] {
    var wanted = tripSchema
    change(&wanted)
    return wanted.differences(fromStored: tripSchema).map(\.description)
  }

  @Test("A change that concerns no table is not a difference.")
  func none() {
    #expect(
      differences {
        $0.version = "2"
        $0.entities[trip].attributes[0].originalName = "title"
        $0.entities[trip].attributes[0].defaultValue = .text("x")
        $0.entities[trip].relationships[0].deleteRule = .deny
        $0.entities[trip].relationships[0].isOptional = false
      } == []
    )
  }

  @Test("Each difference is described in words.")
  func words() {
    #expect(
      differences {
        $0.entities[trip].attributes[0].type = .int64
        $0.entities[trip].attributes[1].isOptional = true
        $0.entities[trip].attributes[2].name = "stars"
        $0.entities[trip].uniques = [["startDate"]]
        $0.entities[trip].indexes = [["startDate", "name"]]
      } == [
        "Trip.name is string in the store and int64 in the model",
        "Trip.startDate is optional in the model but not in the store",
        "Trip.stars is missing in the store",
        "Trip.rating is in the store but not in the model",
        "Trip has unique (name) in the store and (startDate) in the model",
        "Trip has indexes on nothing in the store and on (startDate, name) in the model",
      ]
    )
    #expect(
      differences {
        $0.entities[trip].attributes[2].isOptional = false
        $0.entities[trip].attributes[1].isExternal = true
        $0.entities[trip].attributes[1].column = "startDate_"
        $0.entities[trip].relationships[1].destination = "Item"
        $0.entities[trip].relationships[1].isOptional = false
        $0.entities[trip].relationships[2].storage = .inverseColumn("trip")
      } == [
        "Trip.startDate has external storage in the model but not in the store",
        "Trip.startDate is in column startDate of the store and belongs in column startDate_",
        "Trip.rating is optional in the store but not in the model",
        "Trip.leader refers to Person in the store and to Item in the model",
        "Trip.leader is optional in the store but not in the model",
        "Trip.tags is kept in the table Tag_trips in the store and belongs in the column trip of the"
          + " inverse relationship",
      ]
    )
  }

  @Test("Entities and families are compared by name.")
  func entities() {
    #expect(
      differences {
        $0.entities.removeLast()
        $0.entities.append(Entity(name: "Voyage"))
        $0.entities[item].parent = "Tag"
        $0.entities[item].relationships.removeAll()
      } == [
        "Item inherits from nothing in the store and from Tag in the model, or another entity"
          + " joined or left its family",
        "Item.trip is in the store but not in the model",
        "Voyage is missing in the store",
        "Trip is in the store but not in the model",
      ]
    )
  }

  @Test("Each kind of difference has an exact text, in both directions.")
  func texts() {
    let cases: [(SchemaDifference, String)] = [
      (
        .parent(entity: "E", stored: "P", wanted: nil),
        "E inherits from P in A and from nothing in B, or another entity joined or left its family"
      ),
      (
        .optionality(entity: "E", name: "n", isOptionalInStore: true),
        "E.n is optional in A but not in B"
      ),
      (
        .optionality(entity: "E", name: "n", isOptionalInStore: false),
        "E.n is optional in B but not in A"
      ),
      (
        .external(entity: "E", name: "n", isExternalInStore: true),
        "E.n has external storage in A but not in B"
      ),
      (
        .external(entity: "E", name: "n", isExternalInStore: false),
        "E.n has external storage in B but not in A"
      ),
      (.missingRelationship(entity: "E", name: "n"), "E.n is missing in A"),
      (.extraRelationship(entity: "E", name: "n"), "E.n is in A but not in B"),
      (
        .storage(entity: "E", name: "n", stored: .column("c"), wanted: .inverseColumn("i")),
        "E.n is kept in the column c of the relationship in A and belongs in the column i of the"
          + " inverse relationship"
      ),
      (
        .uniques(entity: "E", stored: [["a", "b"], ["c"]], wanted: []),
        "E has unique (a, b), (c) in A and nothing in B"
      ),
      (
        .encoding(stored: nil, wanted: .utf16BigEndian),
        "texts are in UTF-8 in A and in UTF-16be in B"
      ),
    ]
    for (difference, text) in cases {
      #expect(difference.text(stored: "A", wanted: "B") == text)
    }
  }

  @Test("The parent, the table and the sharing of the table are compared, and the encoding too.")
  func family() {
    let parent =
      "Item inherits from nothing in the store and from nothing in the model, or another"
      + " entity joined or left its family"
    #expect(differences { $0.entities[item].table = "Other" } == [parent])
    #expect(differences { $0.entities[item].sharesTable = true } == [parent])
    #expect(
      differences { $0.encoding = .utf16LittleEndian }
        == ["texts are in UTF-8 in the store and in UTF-16le in the model"]
    )
    #expect(
      differences { $0.entities[trip].relationships[1].name = "guide" }
        == [
          "Trip.guide is missing in the store", "Trip.leader is in the store but not in the model",
        ]
    )
    #expect(differences { $0.entities[trip].uniques = [["name"], ["name"]] } == [])
  }
}
