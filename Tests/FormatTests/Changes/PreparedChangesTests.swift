import TestSupport
import Testing

@testable import Format

@Suite("Changes prepared for writing")
struct PreparedChangesTests {
  private func prepared(_ changes: SampleChange...) throws -> PreparedChanges {
    let format = try ChangeFormat(tripSchema)
    let result = PreparedChanges()
    for change in changes { try change.withChange { try result.append($0, format: format) } }
    return result
  }

  @Test("A plain change has copies of its column values, independent of its bytes.")
  func plain() throws {
    let changes = try prepared(.update, .insert)
    #expect(changes.count == 2)
    #expect(changes.refusals.isEmpty)
    let update = changes.parts[0]
    #expect(update.entity == 3 && update.isPlain)
    #expect(update.before == 0..<2 && update.after == 2..<4)
    #expect(update.columnsBefore == 2 && update.columnsAfter == 2)
    #expect(update.change.after.elementsEqual(SampleChange.update.after.utf8))
    let insert = changes.parts[1]
    #expect(insert.before.isEmpty && insert.after == 4..<8)
    #expect(insert.columnsBefore == 0 && insert.columnsAfter == 4)
    let values = changes.values.map(Value.init)
    #expect(values[0..<4] == [.text("ab"), .null, .text("cd"), .integer(-3)])
    #expect(values[4] == .text("ab") && values[6...] == [.real(4.5), .integer(12)])
    #expect(changes.members.map(\.index) == [0, 3, 0, 3, 0, 1, 2, 3])
  }

  @Test("The links of each side are lists of ids.")
  func links() throws {
    let changes = try prepared(.links, .links)
    for part in changes.parts {
      #expect(part.columnsBefore == 0 && part.columnsAfter == 0)
      #expect(changes.list(part.lists) == [])
      #expect(changes.list(part.lists + 1) == [1, 2])
    }
    #expect(changes.parts.map(\.lists) == [0, 2])
  }

  @Test("A change with notes is checked, and its values are left to the writer.")
  func noted() throws {
    let changes = try prepared(.noted)
    #expect(changes.refusals.isEmpty)
    #expect(!changes.parts[0].isPlain)
    #expect(changes.values.allSatisfy { if case .null = $0 { true } else { false } })
    var large = SampleChange.noted
    large.special = ""
    large.before = #"{"name":"a","rating":1.0}"#
    large.after = #"{"name":null,"rating":2.0}"#
    #expect(try !prepared(large).parts[0].isPlain)
  }

  @Test("An invalid change is kept as an error with its place, and the other changes are read.")
  func refusals() throws {
    var stranger = SampleChange.insert
    stranger.entity = "Voyage"
    var broken = SampleChange.update
    broken.after = broken.after.replacing("-3", with: "x")
    let changes = try prepared(.insert, stranger, broken, .delete)
    #expect(changes.count == 4)
    #expect(changes.refusals.keys.sorted() == [1, 2])
    #expect(changes.refusals[1]?.message == "the store's schema has no such entity")
    #expect(
      changes.refusals[2]?.message.hasPrefix(#"{"entity":"Person","id":"x"} is not the"#) == true
    )
    #expect(changes.parts[3].before.count == 4)
  }

  @Test(
    "The size grows with each change, its bytes and its links, and is small again after a reset."
  )
  func size() throws {
    let empty = PreparedChanges().size
    let one = try prepared(.insert)
    let part = MemoryLayout<PreparedChanges.Part>.stride
    #expect(one.size >= empty + part + SampleChange.insert.after.utf8.count)
    let linked = try prepared(.insert, .links)
    #expect(linked.size >= one.size + part + SampleChange.links.after.utf8.count + 16)
    linked.removeAll()
    #expect(linked.size <= empty && linked.count == 0 && linked.members.isEmpty)
    #expect(linked.values.isEmpty && linked.refusals.isEmpty)
  }
}
