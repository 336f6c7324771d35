import Testing

@testable import Changes

@Suite("Why changes can't be undone or replayed")
struct UndoConflictTests {
  private func difference(
    _ property: String?,
    expected: String? = nil,
    found: String? = nil
  ) -> ReplayDifference {
    ReplayDifference(
      entity: "Trip",
      object: 7,
      property: property,
      expected: expected,
      found: found
    )
  }

  @Test("A difference names the object and the property, and shows both values.")
  func values() {
    let changed = difference("name", expected: #""a""#, found: #""b""#)
    #expect(changed.description == #"Trip 7.name is "b" and should be "a""#)
    #expect(
      UndoConflict.changed(changed).description
        == #"Trip 7.name was changed: it was "a" and is "b" now"#
    )
    #expect(difference("name", found: "1").description == "Trip 7.name is 1 and should be nothing")
    #expect(
      difference("name", expected: "1").asChange
        == "Trip 7.name was changed: it was 1 and is nothing now"
    )
  }

  @Test("A difference without a property is a missing or an unexpected object.")
  func objects() {
    #expect(difference(nil, expected: "{}").description == "Trip 7 is missing")
    #expect(difference(nil, expected: "{}").asChange == "Trip 7 was deleted")
    #expect(difference(nil, found: "{}").description == "Trip 7 exists already")
    #expect(difference(nil, found: "{}").asChange == "Trip 7 was inserted again")
  }

  @Test("A value of more than 80 characters is shortened in a difference.")
  func longValues() {
    let long = String(repeating: "x", count: 81)
    let text = difference("name", expected: String(long.dropLast()), found: long).description
    let shown = String(repeating: "x", count: 50) + "… (81 characters)"
    #expect(text == "Trip 7.name is \(shown) and should be \(long.dropLast())")
  }

  @Test("A conflict names the object whose later change prevents the undo.")
  func conflicts() {
    let changed = UndoConflict.changed(difference("name"))
    #expect(changed.object == ("Trip", 7))
    let referenced = UndoConflict.referenced(
      entity: "Trip",
      object: 1,
      byEntity: "Tag",
      byObject: 2,
      property: "trip"
    )
    #expect(referenced.object == ("Tag", 2))
    #expect(
      referenced.description == "Tag 2 refers by 'trip' to Trip 1, which the undo would delete"
    )
    let missing = UndoConflict.missingTarget(
      entity: "Tag",
      object: 2,
      property: "trip",
      toEntity: "Trip",
      toObject: 1
    )
    #expect(missing.object == ("Trip", 1))
    #expect(
      missing.description
        == "the undo would restore a reference of Tag 2 by 'trip' to Trip 1, which does not exist"
    )
  }

  @Test("The name of an object shows its entity and its id, and distinguishes numbers from texts.")
  func names() throws {
    #expect(ObjectName("Trip", id: -7).description == "Trip -7")
    let row = try #require(RowName(key: [.text("-7")], rowid: nil))
    let name = ObjectName("Trip", id: ObjectID(row))
    #expect(name.description == #"Trip ["text:-7"]"#)
    #expect(name != ObjectName("Trip", id: -7))
    #expect(ObjectName("Trip", id: 1) != ObjectName("Tag", id: 1))
  }
}
