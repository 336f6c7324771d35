// swift-tools-version: 6.0

import Foundation
import PackageDescription

// The same tasks as in Benchmarks, with GRDB: GRDB=FOLDER make bench builds this package with the
// checkout of GRDB in the folder.
let folder = URL(fileURLWithPath: Context.environment["GRDB"] ?? "GRDB.swift")

let package = Package(
  name: "Books",
  dependencies: [.package(path: folder.path)],
  targets: [
    .target(name: "CSnapshots", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "Books",
      dependencies: ["CSnapshots", .product(name: "GRDB", package: folder.lastPathComponent)]
    ),
  ]
)
