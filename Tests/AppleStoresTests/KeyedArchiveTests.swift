import AppleFiles
import AppleStores
import Testing

@Suite("Keyed archives")
struct KeyedArchiveTests {
  @Test("Objects keep their identity, also in a cycle.")
  func identity() throws {
    let builder = ArchiveBuilder()
    let (one, two) = (builder.reserve(), builder.reserve())
    builder.set(one, "Thing", [("other", .uid(two)), ("name", builder.text("eins"))])
    builder.set(two, "Thing", [("other", .uid(one)), ("count", .integer(3))])
    let archive = try KeyedArchive(builder.bytes(root: .uid(one)), name: "Archive")
    let root = try #require(archive.root.object)
    #expect(try archive.className(of: root) == "Thing")
    #expect(try archive.value("name", of: root) == .text("eins"))
    let other = try #require(try archive.value("other", of: root).object)
    #expect(other != root)
    #expect(try archive.value("count", of: other) == .integer(3))
    #expect(try archive.value("other", of: other) == .object(root))
    #expect(try archive.value("missing", of: other) == .null)
  }

  @Test("A dictionary with a fixed set of keys has only the members with values.")
  func knownKeys() throws {
    let builder = ArchiveBuilder()
    let dictionary = builder.knownKeys([("a", builder.text("1")), ("b", builder.text("2"))])
    let archive = try KeyedArchive(builder.bytes(root: dictionary), name: "Archive")
    let members = try archive.members(of: #require(archive.root.object))
    #expect(members.map(\.key) == [.text("a"), .text("b")])
    #expect(members.map(\.value) == [.text("1"), .text("2")])
  }

  @Test("A reading that would take too long ends with an error.")
  func steps() throws {
    let builder = ArchiveBuilder()
    let text = builder.text(String(repeating: "x", count: 1000))
    let list = builder.list((0..<100).map { _ in text })
    let archive = try KeyedArchive(builder.bytes(root: list), name: "Archive", steps: 50_000)
    #expect(throws: (any Error).self) { try archive.elements(in: archive.root) }
    let longer = try KeyedArchive(builder.bytes(root: list), name: "Archive", steps: 500_000)
    #expect(try longer.elements(in: longer.root).count == 100)
  }

  @Test("A list without the members of an archive is refused.")
  func other() throws {
    for value in [
      Plist.array([]), .dictionary([]), .dictionary([("$objects", .array([]))]),
      .dictionary([("$objects", .array([])), ("$top", .dictionary([("root", .uid(0))]))]),
      .dictionary([("$objects", .array([.null])), ("$top", .dictionary([("root", .text("a"))]))]),
    ] {
      #expect(throws: (any Error).self) { try KeyedArchive(value.bytes, name: "Archive") }
    }
  }
}
