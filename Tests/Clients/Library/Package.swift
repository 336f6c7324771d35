// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "library",
  products: [.library(name: "Library", targets: ["Library"])],
  dependencies: [
    .package(
      url: "file://\(Context.environment["CLIENTS", default: ""])/travelog.git",
      from: "0.1.0"
    )
  ],
  targets: [
    .target(name: "Library", dependencies: [.product(name: "SwiftData", package: "travelog")])
  ]
)
