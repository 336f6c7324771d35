import Format
import Foundation
import Testing

extension Forgery {
  /// A forgery of a file of the tree, which `verify` finds beside sound logs.
  private init(
    tree name: String,
    _ file: String,
    codes: Set<Int32> = [1],
    answer: String = "damaged",
    _ alter: @escaping @Sendable (inout Data) throws -> Void
  ) {
    self.init(name, codes: codes, answer: answer) { world in
      try world.alter(file: try world.world.lineage() + "/_tree/" + file, alter)
      return try travelog("verify", world.logs, "--head", world.head)
    }
  }

  /// A special file or a folder instead of a file of the tree.
  private init(
    tree name: String,
    _ file: String,
    _ make: @escaping @Sendable (UnsafePointer<CChar>, mode_t) -> Int32
  ) {
    self.init(name, answer: "damaged") { world in
      let path = try world.world.lineage() + "/_tree/" + file
      try FileManager.default.removeItem(atPath: path)
      try #require(make(path, 0o700) == 0)
      return try travelog("verify", world.logs, "--head", world.head)
    }
  }

  /// A forgery of a checkpoint that somebody kept, by its lines.
  private init(
    checkpoint name: String,
    codes: Set<Int32> = [1],
    _ alter: @escaping @Sendable (inout [String]) throws -> Void
  ) {
    self.init(name, codes: codes) { world in
      var lines = try travelog("checkpoint", world.logs).output.components(separatedBy: "\n")
      try alter(&lines)
      return try world.since(lines.joined(separator: "\n"))
    }
  }

  /// A forgery of a signed checkpoint.
  private init(
    signature name: String,
    _ alter: @escaping @Sendable (LongerWorld, SignedNote) throws -> String
  ) {
    self.init(name) { world in
      let text = try travelog("checkpoint", world.logs).output
      var note = try SignedNote(text: text)
      let origin = String(text.prefix { $0 != "\n" })
      try note.sign(origin, privateKey: Self.secret)
      let key = try NoteKey(name: origin, bytes: ed25519PublicKey(of: Self.secret))
      let keys = world.folder.path + "/keys"
      try "\(key.verifier)\n".write(toFile: keys, atomically: true, encoding: .utf8)
      try #require(world.since("\(note)", "--key", keys).code == 0)
      return try world.since(alter(world, note), "--key", keys)
    }
  }

  private static let secret = [UInt8](repeating: 7, count: 32)
  private static let other = [UInt8](repeating: 8, count: 32)

  static let trees: [Forgery] = [
    Forgery(tree: "a leaf of the tree is replaced", "tile/0/000.p/10") { $0[40] ^= 1 },
    Forgery(
      tree: "a tile of the tree is cut, which is a warning because nothing is proven by it",
      "tile/0/000.p/10",
      codes: [0],
      answer: "missing or cut off"
    ) { $0.removeLast() },
    Forgery(tree: "a tile of the tree is longer than a tile can be", "tile/0/000.p/10") {
      $0 += Data(repeating: 0, count: 1 << 20)
    },
    Forgery(tree: "a pipe replaces the head beside the tree", "head", mkfifo),
    Forgery(tree: "a pipe replaces a tile of the tree", "tile/0/000.p/10", mkfifo),
    Forgery(tree: "a folder replaces a tile of the tree", "tile/0/000.p/10", mkdir),
    Forgery("the checkpoint beside the tree is damaged", answer: "can't be read") { world in
      try #require(travelog("checkpoint", world.logs).code == 0)
      try world.alter(file: world.world.lineage() + "/_tree/checkpoint") { $0[2] = 0xff }
      return try travelog("verify", world.logs)
    },
    Forgery("the checkpoint beside the tree has another root", answer: "does not extend") { world in
      try #require(travelog("checkpoint", world.logs).code == 0)
      try world.alter(file: world.world.lineage() + "/_tree/checkpoint") { data in
        data = try altered(data) { $0[2] = Data(repeating: 1, count: 32).base64EncodedString() }
      }
      return try travelog("verify", world.logs)
    },
    Forgery(tree: "the root beside the tree is replaced", "head") { data in
      data = try altered(data) { $0[2] = Data(repeating: 1, count: 32).base64EncodedString() }
    },
    Forgery(tree: "the size beside the tree is replaced", "head") { data in
      data = try altered(data) { $0[1] = "9" }
    },
    Forgery(tree: "the positions beside the tree are replaced", "head") { data in
      data = try altered(data) { $0[3] = "0 2" }
    },
    Forgery(tree: "the head beside the tree is replaced", "head") { data in
      data = try altered(data) { $0[4].replace(/[0-9a-f]{8}$/, with: "00000000") }
    },
    Forgery("the tree of a forged history is beside sound logs", answer: "damaged") { world in
      try world.world.altered {
        try world.forgeHistory()
        try #require(travelog("checkpoint", world.logs).code == 0)
        try FileManager.default.copyItem(
          atPath: world.world.lineage() + "/_tree",
          toPath: world.folder.path + "/tree"
        )
      }
      let tree = try world.world.lineage() + "/_tree"
      try FileManager.default.removeItem(atPath: tree)
      try FileManager.default.moveItem(atPath: world.folder.path + "/tree", toPath: tree)
      return try travelog("verify", world.logs)
    },
    Forgery("a history is forged, and the tree is the old one", answer: "damaged") { world in
      let tree = try world.world.lineage() + "/_tree"
      try FileManager.default.copyItem(atPath: tree, toPath: world.folder.path + "/tree")
      try world.forgeHistory()
      try FileManager.default.moveItem(atPath: world.folder.path + "/tree", toPath: tree)
      return try travelog("verify", world.logs)
    },
    Forgery(
      "a history is forged with its tree, and a checkpoint was kept",
      answer: "does not extend"
    ) {
      world in
      let kept = try travelog("checkpoint", world.logs).output
      try world.forgeHistory()
      try #require(travelog("checkpoint", world.logs).code == 0)
      return try world.since(kept)
    },
    Forgery(
      "a history is forged with its tree, and a checkpoint is given as the head",
      answer: "end-missing"
    ) {
      world in
      let kept = world.folder.path + "/kept"
      try travelog("checkpoint", world.logs).output
        .write(toFile: kept, atomically: true, encoding: .utf8)
      let honest = try travelog("verify", world.logs, "--head", kept)
      #expect(honest.code == 0 && honest.output.contains("by the checkpoint"), "\(honest.output)")
      try world.forgeHistory()
      let replica = world.folder.path + "/replica.store"
      let run = try travelog("import", world.logs, "--into", replica, "--head", kept)
      #expect(run.code == 17 && !FileManager.default.fileExists(atPath: replica), "\(run.errors)")
      return try travelog("verify", world.logs, "--head", kept)
    },
    Forgery("a history is forged with its tree, and checkpoint is to sign it", codes: [4]) {
      world in
      try #require(travelog("checkpoint", world.logs).code == 0)
      let published = try world.world.lineage() + "/_tree/checkpoint"
      let kept = try Data(contentsOf: URL(fileURLWithPath: published))
      try world.forgeHistory()
      try #require(travelog("checkpoint", world.logs).code == 0)
      try kept.write(to: URL(fileURLWithPath: published))
      return try travelog("checkpoint", world.logs)
    },
    Forgery(
      "two people have two histories with one name, and compare checkpoints",
      answer: "does not extend"
    ) {
      world in
      let second = world.folder.path + "/second"
      try FileManager.default.copyItem(atPath: world.logs, toPath: second)
      try world.forgeHistory()
      try #require(travelog("checkpoint", world.logs).code == 0)
      for logs in [world.logs, second] { try #require(travelog("verify", logs).code == 0) }
      return try world.since(travelog("checkpoint", second).output)
    },
    Forgery("two people have two histories with one name, and compare heads", answer: "end-missing")
    { world in
      let second = world.folder.path + "/second"
      try FileManager.default.copyItem(atPath: world.logs, toPath: second)
      try world.forgeHistory()
      let answer = world.folder.path + "/second.json"
      try travelogData("verify", second, "--json").write(to: URL(fileURLWithPath: answer))
      return try travelog("verify", world.logs, "--head", answer)
    },
    Forgery("a file of two heads has one of another history", answer: "end-missing") { world in
      let answer = world.folder.path + "/heads"
      try "\(world.head)\n\(world.world.head.reversed().map { "\($0)" }.joined())\n".write(
        toFile: answer,
        atomically: true,
        encoding: .utf8
      )
      return try travelog("verify", world.logs, "--head", answer)
    },
    Forgery("the checkpoint of a lineage in the tree of all stores is replaced", codes: [4]) {
      world in
      try #require(travelog("checkpoint", world.logs, "--stores").code == 0)
      try world.alter(file: world.logs + "/_tree/tile/entries/000.p/1") {
        $0.replace(Data("\n10\n".utf8), with: Data("\n11\n".utf8))
      }
      return try travelog("checkpoint", world.logs, "--stores")
    },
    Forgery("the tree of all stores has bytes that are not a checkpoint", codes: [4]) {
      world in
      try #require(travelog("checkpoint", world.logs, "--stores").code == 0)
      try world.alter(file: world.logs + "/_tree/tile/entries/000.p/1") { $0[20] = 0xff }
      return try travelog("checkpoint", world.logs, "--stores")
    },
    Forgery("a hash in the tree of all stores is replaced") { world in
      let kept = try travelog("checkpoint", world.logs, "--stores").output
      try world.alter(file: world.logs + "/_tree/tile/0/000.p/1") { $0[0] ^= 1 }
      return try world.since(kept)
    },
    Forgery(checkpoint: "a checkpoint has another root") {
      $0[2] = Data(repeating: 1, count: 32).base64EncodedString()
    },
    Forgery(checkpoint: "a checkpoint has a smaller size and the same root") { $0[1] = "9" },
    Forgery(checkpoint: "a checkpoint is larger than the tree") { $0[1] = "11" },
    Forgery(checkpoint: "a checkpoint of an empty tree has a root") { $0[1] = "0" },
    Forgery(checkpoint: "a checkpoint names another tree", codes: [10]) { $0[0] += "1" },
    Forgery(checkpoint: "a checkpoint spells its size in another way", codes: [4]) {
      $0[1] = "010"
    },
  ]

  /// Forgeries of signatures, which need libcrypto.
  static let signatures: [Forgery] =
    (try? ed25519PublicKey(of: secret)) == nil
    ? []
    : [
      Forgery(signature: "a checkpoint has no signature") { _, note in note.text },
      Forgery(signature: "another key of the same name signed a checkpoint") { _, note in
        var forged = try SignedNote(text: note.text)
        try forged.sign(note.signatures[0].name, privateKey: other)
        return "\(forged)"
      },
      Forgery(signature: "a byte of a signature is replaced") { _, note in
        let word = try #require("\(note)".split(whereSeparator: \.isWhitespace).last)
        var bytes = try #require(Data(base64Encoded: String(word)))
        bytes[40] ^= 1
        return "\(note)".replacing(word, with: bytes.base64EncodedString())
      },
      Forgery(signature: "the number of the key in a signature is replaced") { _, note in
        let word = try #require("\(note)".split(whereSeparator: \.isWhitespace).last)
        var bytes = try #require(Data(base64Encoded: String(word)))
        bytes[0] ^= 1
        return "\(note)".replacing(word, with: bytes.base64EncodedString())
      },
      Forgery(signature: "the root under a signature is that of a forged history") { world, note in
        try world.forgeHistory()
        let text = try travelog("checkpoint", world.logs).output
        return "\(note)".replacing(note.text, with: text)
      },
      Forgery(signature: "a line is added to the text under a signature") { _, note in
        "\(note)".replacing(note.text, with: note.text + "approved\n")
      },
      Forgery("a proof is signed by another key of the same name") { world in
        let (keys, path) = (world.folder.path + "/keys", world.folder.path + "/change.proof")
        let proof = try travelog("prove", world.logs, "9.2").output
        let start = try #require(proof.firstRange(of: "\ntravelog/")).lowerBound
        let text = String(proof[proof.index(after: start)...])
        let origin = String(text.prefix { $0 != "\n" })
        let key = try NoteKey(name: origin, bytes: ed25519PublicKey(of: secret))
        try "\(key.verifier)\n".write(toFile: keys, atomically: true, encoding: .utf8)
        func verify(_ secret: [UInt8]) throws -> Run {
          var note = try SignedNote(text: text)
          try note.sign(origin, privateKey: secret)
          try (proof[...start] + "\(note)").write(toFile: path, atomically: true, encoding: .utf8)
          return try travelog("verify", "--proof", path, "--key", keys)
        }
        try #require(verify(secret).code == 0)
        return try verify(other)
      },
    ]

  /// Text with altered lines.
  private static func altered(
    _ data: Data,
    _ alter: (inout [String]) throws -> Void
  ) throws -> Data {
    var lines = String(decoding: data, as: UTF8.self).components(separatedBy: "\n")
    try alter(&lines)
    return Data(lines.joined(separator: "\n").utf8)
  }
}

extension LongerWorld {
  /// Replaces a value in the second log, and computes every digest after it again.
  func forgeHistory() throws {
    try alter(1) { try $0.replace("note of 7", "note of 6") }
    try rewriteDigests(from: 1)
  }

  /// Alters the bytes of a file.
  func alter(file path: String, _ alter: (inout Data) throws -> Void) throws {
    let url = URL(fileURLWithPath: path)
    let before = try Data(contentsOf: url)
    var data = before
    try alter(&data)
    try #require(data != before, "nothing was altered")
    try data.write(to: url)
  }

  /// Verifies that the logs extend a checkpoint with this text.
  func since(_ checkpoint: String, _ arguments: String...) throws -> Run {
    let path = folder.path + "/kept.checkpoint"
    try checkpoint.write(toFile: path, atomically: true, encoding: .utf8)
    return try travelog(["verify", logs, "--since", path] + arguments)
  }
}
