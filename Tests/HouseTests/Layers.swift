/// A folder inside a module, and the folders of the module that its files may use.
struct Layer {
  let name: String
  let mayUse: Set<String>
  /// Folders above it that its files use nevertheless, each with the reason.
  let exceptions: [String: String]

  init(
    _ name: String,
    uses mayUse: Set<String> = [],
    alsoUses exceptions: [String: String] = [:]
  ) {
    self.name = name
    self.mayUse = mayUse
    self.exceptions = exceptions
  }
}

/// A module whose folders are layers, lowest first.
///
/// The files beside the folders are its top layer, "".
struct LayeredModule {
  let name: String
  /// The modules below it whose types its files use.
  let imported: [String]
  let layers: [Layer]
}

let layeredModules: [LayeredModule] = [
  LayeredModule(
    name: "Store",
    imported: ["Adoption", "Changes", "SQLite"],
    layers: [
      Layer("Database"),
      Layer("Tables", uses: ["Database"]),
      Layer("Recording", uses: ["Database"]),
      Layer("Adopted", uses: ["Database", "Recording"]),
      Layer("Capture", uses: ["Database", "Tables", "Recording", "Adopted"]),
      Layer("Reading", uses: ["Database", "Tables", "Recording", "Adopted", "Capture"]),
      Layer("Writing", uses: ["Database", "Tables", "Recording", "Adopted", "Capture"]),
      Layer(
        "Migration",
        uses: ["Database", "Tables", "Recording", "Capture", "Reading", "Writing"]
      ),
      Layer(
        "Replay",
        uses: [
          "Database", "Tables", "Recording", "Adopted", "Capture", "Reading", "Writing",
          "Migration",
        ]
      ),
      Layer(
        "Check",
        uses: [
          "Database", "Tables", "Recording", "Adopted", "Capture", "Reading", "Writing",
          "Migration",
          "Replay",
        ]
      ),
      Layer(
        "",
        uses: [
          "Database", "Tables", "Recording", "Adopted", "Capture", "Reading", "Writing",
          "Migration",
          "Replay", "Check",
        ]
      ),
    ]
  ),
  LayeredModule(
    name: "ChangeLog",
    imported: ["Changes", "Stopping"],
    layers: [
      Layer("Text"),
      Layer("Compression", uses: ["Text"]),
      Layer("Folder", uses: ["Text"]),
      Layer("Tiles", uses: ["Text", "Folder"]),
      Layer("Pieces", uses: ["Text", "Compression"]),
      Layer("Lines", uses: ["Text", "Compression", "Folder", "Pieces"]),
      Layer("Erasures", uses: ["Text", "Folder", "Lines"]),
      Layer("Files", uses: ["Text", "Compression", "Folder", "Lines", "Erasures"]),
    ]
  ),
  LayeredModule(
    name: "Pipeline",
    imported: ["ChangeLog", "Store", "Changes", "SQLite"],
    layers: [
      Layer("Chain"),
      Layer("Histories", uses: ["Chain"]),
      Layer("Compact", uses: ["Chain"]),
      Layer("Trees", uses: ["Chain"]),
      // Each exported transaction becomes a leaf of the tree beside the logs.
      Layer("Export", uses: ["Chain", "Trees"]),
      // The transaction that records an erasure is exported before any log is rewritten.
      Layer("Erase", uses: ["Chain", "Export"]),
      // The lineage that a replica follows depends on the history of the one before it.
      Layer("Import", uses: ["Chain", "Histories"]),
      // `import` rebuilds the state that the store's history begins with, if history was deleted.
      Layer("Check", uses: ["Chain", "Import"]),
      // `--against` exports what the logs lack, imports all of it, and compares the replica.
      Layer("Verify", uses: ["Chain", "Trees", "Histories", "Export", "Import"]),
      // Only transactions that `verify` finds in the logs are deleted.
      Layer("Prune", uses: ["Chain", "Verify"]),
      Layer("Proofs", uses: ["Chain", "Trees"]),
      // The status of the logs is what the next export would do.
      Layer("Status", uses: ["Chain", "Export"]),
      // A gap or a lineage begins with the state that `import` rebuilds; then `export` continues.
      Layer("Recover", uses: ["Chain", "Export", "Import"]),
    ]
  ),
  LayeredModule(
    name: "Audit",
    imported: ["Pipeline", "ChangeLog", "Store", "Changes", "SQLite"],
    layers: [
      Layer("Model"),
      Layer("Names", uses: ["Model"]),
      Layer("Blame", uses: ["Model", "Names"]),
      Layer("Diff", uses: ["Model", "Names"]),
      Layer("Timeline", uses: ["Model", "Names"]),
      // A summary has a timeline, and shows who last changed an object.
      Layer("Summary", uses: ["Model", "Names", "Blame", "Timeline"]),
    ]
  ),
  LayeredModule(
    name: "Report",
    imported: ["Audit", "Pipeline", "ChangeLog", "Store", "Changes"],
    layers: [
      Layer("Text"),
      Layer("Diff"),
      // The lists of a report end where a damaged log does.
      Layer("Histories"),
      Layer("JSON", uses: ["Histories"]),
      Layer("HTML", uses: ["Text", "JSON", "Histories"]),
    ]
  ),
  LayeredModule(
    name: "SwiftData",
    imported: ["Store", "Changes", "SQLite"],
    layers: [
      Layer(""),
      Layer(
        "Model",
        uses: [""],
        alsoUses: [
          "Schema": "What a property is declared as is a Schema.Attribute, Apple's name for it.",
          "Container": "An object's identity names its store, whose container its context has.",
          "Context": "An object reads its properties through its context, and tells it of changes.",
        ]
      ),
      Layer(
        "Schema",
        uses: ["", "Model"],
        alsoUses: [
          "Context": "A stage of a migration gives the app a context, in Apple's signature."
        ]
      ),
      Layer("History", uses: ["", "Model", "Schema"]),
      Layer("Predicate", uses: ["", "Model", "Schema", "History"]),
      Layer("DataStore", uses: ["", "Model", "Schema", "Predicate"]),
      Layer(
        "Rows",
        uses: ["", "Model", "Schema", "Predicate"],
        alsoUses: [
          "Context": "The tables of pending changes are made of what the context has pending."
        ]
      ),
      Layer(
        "Container",
        uses: ["", "Model", "Schema", "History", "Predicate", "DataStore", "Rows"],
        alsoUses: [
          "Context": "A container has a main context, and its stores answer to contexts.",
          "NativeStore": "Here a configuration gets the store of its kind.",
          "Snapshots": "Here a configuration gets the store of its kind.",
        ]
      ),
      Layer(
        "Context",
        uses: ["", "Model", "Schema", "Predicate", "DataStore", "Rows", "Container"]
      ),
      Layer("Fetch", uses: ["", "Model", "Schema", "Predicate", "Container", "Context"]),
      Layer(
        "NativeStore",
        uses: [
          "", "Model", "Schema", "History", "Predicate", "DataStore", "Rows", "Container",
          "Context", "Fetch",
        ]
      ),
      Layer(
        "Snapshots",
        uses: [
          "", "Model", "Schema", "History", "Predicate", "DataStore", "Rows", "Container",
          "Context", "Fetch",
        ]
      ),
      Layer(
        "HistoryReading",
        uses: [
          "", "Model", "Schema", "History", "Predicate", "Container", "Context", "NativeStore",
          "Snapshots",
        ]
      ),
      Layer(
        "Observation",
        uses: [
          "", "Model", "Schema", "History", "Predicate", "Container", "Context", "Fetch",
          "HistoryReading",
        ]
      ),
      Layer("Concurrency", uses: ["Model", "Container", "Context"]),
      Layer("Macros", uses: ["Model", "Schema", "Concurrency"]),
    ]
  ),
]
