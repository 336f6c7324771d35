import Changes
import Store
import StoreTesting
import Testing

@Suite("Errors about references to objects that do not exist")
struct MissingReferenceTests {
  private let schema = StoreSchema(
    version: "1",
    entities: [
      Entity(name: "Place", attributes: [Attribute(name: "name", type: .string)]),
      Entity(
        name: "Leg",
        relationships: ["start", "stop", "meal"].map {
          Relationship(name: $0, destination: "Place", isToMany: false, storage: .column($0))
        }
      ),
    ]
  )

  @Test(
    "If one of several relationships refers to a missing object, the error names that relationship.",
    arguments: ["start", "stop", "meal"]
  )
  func property(name: String) throws {
    try withStore(.memory, schema: schema) { store, _ in
      let leg = try #require(schema.index(of: "Leg"))
      let place = try #require(schema.index(of: "Place"))
      let error = #expect(throws: StoreError.self) {
        try store.write(Author()) { writer in
          try writer.insert(place, id: 1, values: [.text("Oslo")])
          let values = writer.layouts[leg].columns.map { column -> Value in
            .integer(column.name == name ? 9 : 1)
          }
          try writer.insert(leg, id: 1, values: values)
        }
      }
      #expect(error?.message.contains("Leg 1 refers through \(name) to a Place") == true)
    }
  }
}
