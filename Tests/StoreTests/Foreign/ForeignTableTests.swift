import StoreTesting
import Testing

@testable import Changes
@testable import Store

@Suite("The tables whose foreign changes are captured")
struct ForeignTableTests {
  private func table(_ name: String, of schema: StoreSchema) throws -> ForeignTable {
    try #require(try schema.foreignTables().first { $0.name == name })
  }

  @Test("An object is identified by its id, and a link by the ids of both objects.")
  func keys() throws {
    let trip = try table("Trip", of: foreignSchema)
    #expect(trip.object == #""id""# && trip.key == [#""id""#])
    #expect(trip.columns == [#""name""#, #""price""#, #""image""#, #""plan""#])
    let plan = try table("Plan", of: foreignSchema)
    #expect(plan.object == #""id""# && plan.key == [#""id""#])
    #expect(plan.columns.first == #""_entity""#)
    let links = try table("Tag_trips", of: foreignSchema)
    #expect(links.object == #""Tag""# && links.key == [#""Tag""#, #""Trip""#])
    #expect(links.columns == [#""Trip""#] && links.uniques.isEmpty)
  }

  @Test("Each set of unique columns is one constraint, of all rows or of one entity's rows.")
  func uniques() throws {
    let trip = try table("Trip", of: foreignSchema).uniques
    #expect(trip.map(\.columns) == [[#""name""#], [#""price""#, #""plan""#]])
    #expect(trip.map(\.entities) == [nil, nil])
    let plan = try table("Plan", of: foreignSchema).uniques
    #expect(plan.map(\.columns) == [[#""room""#]])
    #expect(plan.map(\.entities) == [["Meeting"]])
    // The entities of a family share a constraint of their parent.
    let place = try table("Place", of: worldSchema).uniques
    #expect(place.map(\.columns) == [[#""name""#]])
    #expect(place.map(\.entities) == [nil])
  }
}
