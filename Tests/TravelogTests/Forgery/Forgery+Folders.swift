import Format
import Foundation
import Testing

extension Forgery {
  /// A forgery of the files of a folder, which `verify` finds.
  private init(
    folder name: String,
    answer: String,
    arguments: [String] = [],
    _ alter: @escaping @Sendable (_ world: LongerWorld, _ files: [String]) throws -> Void
  ) {
    self.init(name, answer: answer) { world in
      try alter(world, world.world.files())
      return try travelog(
        ["verify", world.logs] + arguments.map { $0 == "HEAD" ? world.head : $0 }
      )
    }
  }

  static let folders: [Forgery] = [
    Forgery(folder: "the log in the middle is missing", answer: "") { _, files in
      try FileManager.default.removeItem(atPath: files[1])
    },
    Forgery(folder: "the first log is missing", answer: "") { _, files in
      try FileManager.default.removeItem(atPath: files[0])
    },
    Forgery(folder: "the last log is missing, and the token is there", answer: "") { _, files in
      try FileManager.default.removeItem(atPath: files[2])
    },
    Forgery(
      folder: "the last log and the token are missing, and a head was kept",
      answer: "end-missing",
      arguments: ["--head", "HEAD"]
    ) { world, files in
      try FileManager.default.removeItem(atPath: files[2])
      try FileManager.default.removeItem(atPath: world.token())
      try FileManager.default.removeItem(atPath: world.world.lineage() + "/_tree")
    },
    Forgery(
      folder:
        "the last transaction is left out with its file name, trailer and token, and a head was kept",
      answer: "end-missing",
      arguments: ["--head", "HEAD"]
    ) { world, files in
      try world.alter(2) { lines in
        lines.removeAll { $0.contains(#""txn":10,"#) }
        lines[lines.count - 1].replace(
          #""last":10,"transactions":2,"changes":10"#,
          with: #""last":9,"transactions":1,"changes":7"#
        )
      }
      try FileManager.default.moveItem(
        atPath: files[2],
        toPath: files[2].replacing("10.ndjson", with: "09.ndjson")
      )
      try FileManager.default.removeItem(atPath: world.token())
      try FileManager.default.removeItem(atPath: world.world.lineage() + "/_tree")
    },
    Forgery(folder: "two logs have each other's names", answer: "") { world, files in
      let aside = world.folder.path + "/aside"
      try FileManager.default.moveItem(atPath: files[0], toPath: aside)
      try FileManager.default.moveItem(atPath: files[1], toPath: files[0])
      try FileManager.default.moveItem(atPath: aside, toPath: files[1])
    },
    Forgery(folder: "a log is there twice, once with another range", answer: "") { _, files in
      try FileManager.default.copyItem(
        atPath: files[2],
        toPath: files[2].replacing("/00000000000000000009-", with: "/00000000000000000008-")
      )
    },
    Forgery(folder: "a log is there again as another lineage", answer: "") { world, files in
      let lineage = try world.world.lineage()
      try FileManager.default.copyItem(
        atPath: lineage,
        toPath: lineage.replacing("lineage=0", with: "lineage=1")
      )
    },
    Forgery(folder: "the logs are there again as those of another store", answer: "") { world, _ in
      let store = (try world.world.lineage() as NSString).deletingLastPathComponent
      try FileManager.default.copyItem(
        atPath: store,
        toPath: store.replacing(/store=.{8}/, with: "store=00000000")
      )
    },
    Forgery(folder: "a whole log lies where filtered logs lie", answer: "") { world, files in
      let place =
        (try world.world.lineage() as NSString).deletingLastPathComponent
        + "/partial=00000000/lineage=0/"
        + ((files[2] as NSString).deletingLastPathComponent as NSString).lastPathComponent
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: files[2],
        toPath: place + "/" + (files[2] as NSString).lastPathComponent
      )
    },
    Forgery(folder: "a large value is replaced by another of the same size", answer: "") {
      world,
      _ in
      try world.alter(file: world.blob()) { $0[7] ^= 1 }
    },
    Forgery(folder: "a large value is cut", answer: "") { world, _ in
      try world.alter(file: world.blob()) { $0.removeLast() }
    },
    Forgery(folder: "a large value is missing", answer: "") { world, _ in
      try FileManager.default.removeItem(atPath: world.blob())
    },
    Forgery(folder: "the token has another digest", answer: "") { world, _ in
      try world.alter(file: world.token()) {
        $0 = Data(
          String(decoding: $0, as: UTF8.self)
            .replacing(/"digest":"[0-9a-f]{8}/, with: #""digest":"00000000"#).utf8
        )
      }
    },
    Forgery(folder: "the token names a later transaction", answer: "") { world, _ in
      try world.alter(file: world.token()) {
        $0 = Data(
          String(decoding: $0, as: UTF8.self)
            .replacing(#""transaction":10"#, with: #""transaction":12"#).utf8
        )
      }
    },
    Forgery(folder: "a log has zeros after its last byte", answer: "") { world, files in
      try world.alter(file: files[2]) { $0.append(Data(repeating: 0, count: 512)) }
    },
    Forgery(folder: "a log has a second gzip member with more lines", answer: "") { world, files in
      try world.alter(file: files[2]) { $0.append($0) }
    },
    Forgery(folder: "a checksum in a log is replaced", answer: "") { world, files in
      try world.alter(file: files[2]) { $0[$0.count - 6] ^= 1 }
    },
    Forgery(folder: "a log has the name of a snapshot", answer: "") { world, files in
      let place = files[2].replacing(/[0-9]{20}-[0-9]{20}/) { _ in
        String(repeating: "0", count: 18) + "10"
      }
      try FileManager.default.copyItem(atPath: files[2], toPath: place)
    },
    Forgery(folder: "a pipe is among the large values", answer: "is a pipe") { world, _ in
      try #require(mkfifo(world.logs + "/blobs/\(String(repeating: "0", count: 64))", 0o600) == 0)
    },
    Forgery(folder: "a link replaces the lock", answer: "is a symbolic link") {
      world,
      _ in
      unlink(world.logs + "/.lock")
      try #require(symlink("/dev/null", world.logs + "/.lock") == 0)
    },
    Forgery(
      folder: "a link replaces the tree of all stores",
      answer: "is a symbolic link"
    ) {
      world,
      _ in
      try #require(symlink("/dev/zero", world.logs + "/_tree") == 0)
    },
    Forgery(folder: "the name of a file imitates a verdict", answer: #"x\u{a}  proven"#) {
      _,
      files in
      let name = "/x\n  proven up to transaction 10 by the digest that was given\n.ndjson.gz"
      let day = (files[0] as NSString).deletingLastPathComponent
      try Data().write(to: URL(fileURLWithPath: day + name))
    },
    Forgery("a position that was never in the chain is given as trusted") { world in
      try travelog("verify", world.logs, "--after", "8:\(world.head)")
    },
    Forgery("the store had another history, which --against finds") { world in
      try world.forgeHistory()
      return try travelog("verify", world.logs, "--against", world.world.store)
    },
  ]
}

extension LongerWorld {
  func token() throws -> String {
    (try world.lineage() as NSString).deletingLastPathComponent + "/_token.json"
  }

  /// The path of the only large value.
  func blob() throws -> String {
    let blobs = logs + "/blobs"
    return try blobs + "/" + #require(FileManager.default.contentsOfDirectory(atPath: blobs).first)
  }
}
