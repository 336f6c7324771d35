import Testing

@Suite("Imports follow the order of the rooms")
struct ImportTests {
  @Test("Every file imports only rooms below its own.")
  func importsGoDown() throws {
    for room in rooms {
      for file in try swiftFiles(under: "Sources/" + room.name) {
        for fault in importFaults(in: file, of: room) { Issue.record("\(fault)") }
      }
    }
  }

  @Test(
    "The table of rooms has every folder under Sources once, and no other room."
  )
  func everyFolderHasAPlace() throws {
    let named = rooms.map(\.name)
    #expect(Set(named).count == named.count)
    let strangers = try names(in: "Sources").filter { !named.contains($0) }
    #expect(strangers.isEmpty, "no room of the house: \(strangers); give it a line in Rooms.swift")
    let ruins = Set(named).subtracting(try names(in: "Sources"))
    #expect(ruins.isEmpty, "without a folder in Sources: \(ruins)")
  }

  @Test("The table of rooms allows only imports of rooms below.")
  func tablePointsDown() {
    for (place, room) in rooms.enumerated() {
      let below = Set(rooms[(place + 1)...].map(\.name))
      let up = room.mayImport.subtracting(below)
      #expect(up.isEmpty, "\(room.name) may not import \(up.sorted())")
    }
  }

  @Test("The tests of imports find the source files.")
  func sourcesAreFound() throws {
    #expect(try swiftFiles(under: "Sources/SQLite").count > 3)
  }

  @Test(
    "An import is recognised in each of its spellings.",
    arguments: [
      ("import Store", "Store"),
      ("public import Store", "Store"),
      ("@_exported import Foundation", "Foundation"),
      ("@_spi(PluginMessage) import SwiftSyntax", "SwiftSyntax"),
      ("@preconcurrency public import Store", "Store"),
      ("import struct Foundation.URL", "Foundation"),
      ("  import Glibc", "Glibc"),
      ("import Store  // for its rows", "Store"),
      ("let important = 1", nil),
      ("importantThing()", nil),
      ("", nil),
    ]
  )
  func importSpellings(line: String, module: String?) {
    #expect(importedModule(Substring(line)) == module)
  }

  @Test("An import of a room above is reported with file and line.")
  func faultIsNamed() throws {
    let store = try #require(rooms.first { $0.name == "Store" })
    let file = PackageFile(
      path: "Sources/Store/Row.swift",
      lines: ["// import SwiftData", "import Foundation", "import SwiftData", "import Alamofire"]
    )
    #expect(
      importFaults(in: file, of: store) == [
        "Sources/Store/Row.swift:3: Store imports SwiftData, which is not below it",
        "Sources/Store/Row.swift:4: Store imports Alamofire, which is not a known module",
      ]
    )
  }
}
