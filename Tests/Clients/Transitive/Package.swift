// swift-tools-version: 6.2

import PackageDescription

let clients = Context.environment["CLIENTS", default: ""]

let package = Package(
  name: "transitive",
  dependencies: [
    .package(url: "file://\(clients)/Library", from: "1.0.0"),
    .package(url: "file://\(clients)/Stamp", from: "1.0.0"),
  ],
  targets: [
    .executableTarget(
      name: "Transitive",
      dependencies: [
        .product(name: "Library", package: "library"), .product(name: "Stamp", package: "stamp"),
      ]
    )
  ]
)
