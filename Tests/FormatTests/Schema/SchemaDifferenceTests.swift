import Format
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
}
