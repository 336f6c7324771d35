/// A folder under `Sources`, and the rooms below it that it may import.
struct Room {
  let name: String
  let mayImport: Set<String>

  init(_ name: String, _ mayImport: Set<String> = []) {
    self.name = name
    self.mayImport = mayImport
  }
}

/// Every room, from top to bottom: a room imports only rooms further down.
let rooms: [Room] = [
  Room(
    "travelog",
    [
      "CommandLineKit", "JSON5", "Report", "Audit", "Pipeline", "ChangeLog", "Store", "Adoption",
      "Changes", "Stopping",
    ]
  ),
  Room(
    "trips",
    ["CommandLineKit", "SampleTrips", "SwiftData", "Store", "Changes", "Stopping"]
  ),
  Room("CommandLineKit"),
  Room("JSON5"),
  Room("SampleTrips", ["SwiftData", "Store", "Changes", "Stopping"]),
  Room("Report", ["Audit", "CReportPage", "Pipeline", "ChangeLog", "Store", "Changes"]),
  Room("Audit", ["Pipeline", "ChangeLog", "Store", "Changes"]),
  Room("Pipeline", ["ChangeLog", "Store", "Changes"]),
  Room("ChangeLog", ["Changes", "Stopping", "CZlib", "CDeflate"]),
  Room(
    "SwiftData",
    ["CSwiftRuntime", "FoundationExtras", "SwiftDataMacros", "Store", "Changes", "SQLite"]
  ),
  Room("SwiftDataMacros", ["SwiftDataMacroExpansion"]),
  Room("SwiftDataMacroExpansion"),
  Room("Store", ["Adoption", "Changes", "SQLite", "Stopping"]),
  Room("Adoption", ["Changes", "SQLite"]),
  Room("Changes"),
  Room("SQLite", ["CSQLite", "Stopping"]),
  Room("Stopping"),
  Room("OSLog", ["os"]),
  Room("os", ["COSLog"]),
  Room("FoundationExtras"),
  Room("COSLog"),
  Room("CReportPage"),
  Room("CSQLite"),
  Room("CSwiftRuntime"),
  Room("CZlib"),
  Room("CDeflate"),
]

/// The modules of the toolchain and the system that any room may import.
let toolchainModules: Set<String> = [
  "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Musl", "Observation", "Swift",
  "Synchronization", "_FoundationICU",
]

/// The modules of the compiler, for the rooms that expand macros.
let macroModules: Set<String> = [
  "SwiftBasicFormat", "SwiftCompilerPluginMessageHandling", "SwiftDiagnostics", "SwiftIfConfig",
  "SwiftOperators", "SwiftParser", "SwiftParserDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder",
  "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros",
]

/// The rooms that may import `macroModules`.
let macroRooms: Set<String> = ["SwiftDataMacros", "SwiftDataMacroExpansion"]
