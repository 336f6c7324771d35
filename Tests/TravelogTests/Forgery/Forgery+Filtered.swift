import Foundation
import PipelineTesting
import Testing

extension Forgery {
  /// A forgery of a filtered log, by its lines; the digest of its trailer is computed again.
  ///
  /// The log has the guests of transactions 9 and 10 without their notes; the other transactions are omitted.
  private init(
    filtered name: String,
    codes: Set<Int32> = [1],
    answer: String = "damaged:",
    arguments: [String] = [],
    _ alter: @escaping @Sendable (inout [String]) throws -> Void
  ) {
    self.init(name, codes: codes, answer: answer) { world in
      let path = try world.exportFiltered()
      // The whole logs are not handed on.
      try FileManager.default.removeItem(atPath: world.world.lineage())
      try FileManager.default.removeItem(atPath: world.token())
      // The values beside hidden values are not proven.
      let whole = try travelog("verify", world.logs, "--head", world.head)
      try #require(whole.code == 17, "\(whole.output)\(whole.errors)")
      try #require(whole.output.contains("proven up to transaction 10"), "\(whole.output)")
      let before = try gunzip(path).split(separator: "\n").map(String.init)
      var lines = before
      try alter(&lines)
      try #require(lines != before, "nothing was altered")
      try world.world.write(withTrailer(lines), to: path)
      return try travelog(
        ["verify", world.logs] + arguments.map { $0 == "HEAD" ? world.head : $0 }
      )
    }
  }

  static let filtered: [Forgery] = [
    Forgery(filtered: "a filtered log shows another object") {
      try $0.replace(#""entity":"Guest","id":"9""#, #""entity":"Guest","id":"99""#)
    },
    Forgery(filtered: "a filtered log names another author") { lines in
      for place in lines.indices {
        lines[place] = lines[place].replacing(#""author":"app""#, with: #""author":"ceo""#)
      }
    },
    Forgery(filtered: "the digest of hidden values is replaced") { lines in
      let place = try lines.place(#""txn":9,"seq":0"#)
      lines[place] = lines[place].replacing(/"values":"[0-9a-f]{8}/, with: #""values":"00000000"#)
    },
    Forgery(filtered: "a hidden value is shown as if it were the one that was written") { lines in
      let place = try lines.place(#""txn":9,"seq":0"#)
      lines[place] = lines[place].replacing(/"values":"[0-9a-f]{64}",/, with: "")
        .replacing(#""note":null"#, with: #""note":"forged""#)
        .replacing(#","special":{"after":{"note":"redacted"}}"#, with: "")
    },
    Forgery(filtered: "a hidden value is shown beside the digest of the hidden values") { lines in
      let place = try lines.place(#""txn":9,"seq":0"#)
      lines[place] = lines[place].replacing(#""note":null"#, with: #""note":"forged""#)
        .replacing(#","special":{"after":{"note":"redacted"}}"#, with: "")
    },
    Forgery(
      filtered: "a value beside a hidden value is replaced",
      codes: [17],
      answer: "9.0"
    ) { lines in
      let place = try lines.place(#""txn":9,"seq":0"#)
      lines[place] = lines[place].replacing(#""page":null"#, with: #""page":"forged""#)
    },
    Forgery("a position that was never in filtered logs is given as trusted", answer: "end-missing")
    {
      world in
      _ = try world.exportFiltered()
      try FileManager.default.removeItem(atPath: world.world.lineage())
      try FileManager.default.removeItem(atPath: world.token())
      let right = try travelog("verify", world.logs, "--after", "10:\(world.head)")
      #expect(right.code == 17, "\(right.output)\(right.errors)")
      return try travelog("verify", world.logs, "--after", "8:\(world.head)")
    },
    Forgery("filtered logs are compared with a store", codes: [16]) { world in
      _ = try world.exportFiltered()
      try FileManager.default.removeItem(atPath: world.world.lineage())
      return try travelog("verify", world.logs, "--against", world.world.store)
    },
    Forgery("the whole logs beside filtered logs are removed", answer: "end-missing") { world in
      _ = try world.exportFiltered()
      try FileManager.default.removeItem(atPath: world.world.lineage())
      return try travelog("verify", world.logs)
    },
    Forgery(
      "the whole logs beside filtered logs are removed with the token, and the tree is there",
      answer: "end-missing"
    ) { world in
      _ = try world.exportFiltered()
      try FileManager.default.removeItem(atPath: world.token())
      let lineage = try world.world.lineage()
      for name in try FileManager.default.contentsOfDirectory(atPath: lineage) where name != "_tree"
      {
        try FileManager.default.removeItem(atPath: "\(lineage)/\(name)")
      }
      return try travelog("verify", world.logs)
    },
    Forgery("filtered logs are of another history than the whole logs beside them") { world in
      _ = try world.exportFiltered()
      try world.forgeHistory()
      return try travelog("verify", world.logs)
    },
    Forgery("the last filtered log is removed, and the token is there", answer: "end-missing") {
      world in
      let path = try world.exportFiltered()
      let undone = try travelog("undo", world.world.store, "10", "--author", "app")
      #expect(undone.code == 0, "\(undone.errors)")
      _ = try world.exportFiltered(again: true)
      #expect(try travelog("verify", world.logs).code == 17)
      let folder = (path as NSString).deletingLastPathComponent
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      let last = try #require(names.filter { $0.hasSuffix(".ndjson.gz") }.max())
      try FileManager.default.removeItem(atPath: "\(folder)/\(last)")
      return try travelog("verify", world.logs)
    },
    Forgery(filtered: "the digest of omitted lines is replaced") { lines in
      let place = try lines.place(#"{"kind":"omitted","txn":9,"#)
      lines[place] = lines[place].replacing(/"digest":"[0-9a-f]{8}/, with: #""digest":"00000000"#)
    },
    Forgery(filtered: "omitted lines are counted as more") { lines in
      let place = try lines.place(#"{"kind":"omitted","txn":9,"#, #""count":1"#)
      lines[place] = lines[place].replacing(#""count":1"#, with: #""count":2"#)
    },
    Forgery(filtered: "the line for omitted lines is left out") { lines in
      lines.remove(at: try lines.place(#"{"kind":"omitted","txn":9,"#))
    },
    Forgery(filtered: "the digest of an omitted transaction is replaced") { lines in
      let place = try lines.place(#"{"kind":"omitted","txn":5,"#)
      lines[place] = lines[place].replacing(/"digest":"[0-9a-f]{8}/, with: #""digest":"00000000"#)
    },
    Forgery(filtered: "the line for an omitted transaction is left out") { lines in
      lines.remove(at: try lines.place(#"{"kind":"omitted","txn":5,"#))
    },
    Forgery(filtered: "two omitted transactions change places") { lines in
      let place = try lines.place(#"{"kind":"omitted","txn":5,"#)
      lines.swapAt(place, place + 1)
    },
    Forgery(filtered: "two omitted transactions change places, and are numbered again") { lines in
      let place = try lines.place(#"{"kind":"omitted","txn":5,"#)
      lines.swapAt(place, place + 1)
      lines[place] = lines[place].replacing(#""txn":6"#, with: #""txn":5"#)
      lines[place + 1] = lines[place + 1].replacing(#""txn":5"#, with: #""txn":6"#)
    },
    Forgery(filtered: "a transaction that is there is shown as omitted with a made-up digest") {
      try omit(9, changes: 5, in: &$0)
    },
    Forgery(
      filtered:
        "the last transaction is shown as omitted with a made-up digest, and a head was kept",
      answer: "end-missing",
      arguments: ["--head", "HEAD"]
    ) { try omit(10, changes: 3, in: &$0) },
    Forgery(filtered: "a line with a salt, as an erased one has, is in a filtered log") { lines in
      let place = try lines.place(#""txn":9,"seq":0"#)
      lines[place] = lines[place].replacing(
        #","op":"#,
        with: #","salt":"AAECAwQFBgcICQoLDA0ODw==","op":"#
      )
    },
    Forgery(filtered: "the header of a filtered log says that other things are left out") { lines in
      lines[0] = lines[0].replacing(/"partial":"/, with: #""partial":"only "#)
    },
    Forgery(
      filtered: "the last transaction of a filtered log is left out, and a head was kept",
      answer: "end-missing",
      arguments: ["--head", "HEAD"]
    ) { lines in
      lines.removeAll { $0.contains(#""txn":10,"#) }
      lines[lines.count - 1].replace(
        #""last":10,"transactions":2,"changes":8"#,
        with: #""last":9,"transactions":1,"changes":5"#
      )
    },
  ]

  /// Replaces the lines of a transaction by one that says that it was omitted.
  private static func omit(_ id: Int, changes: Int, in lines: inout [String]) throws {
    let first = try lines.place(#""txn":\#(id),"#)
    let end = try lines.place(#"{"kind":"transaction","txn":\#(id),"#)
    let digest = String(repeating: "5", count: 64)
    let line = #"{"kind":"omitted","txn":\#(id),"digest":"\#(digest)"}"#
    lines.replaceSubrange(first...end, with: [line])
    lines[lines.count - 1].replace(
      #""transactions":2,"changes":8"#,
      with: #""transactions":1,"changes":\#(8 - changes)"#
    )
  }
}

extension LongerWorld {
  /// Exports the guests of the author "app" without their notes beside the whole logs, and returns the
  /// path of the first log.
  fileprivate func exportFiltered(again: Bool = false) throws -> String {
    let filter = ["--author", "app", "--entity", "Guest", "--redact", "Guest.note=drop"]
    // The store remembers the export of the forgery before.
    let export = ["export", world.store, "--to", logs] + (again ? [] : ["--new-folder"])
    let run = try travelog(export + filter)
    try #require(run.code == 0, "\(run.errors)")
    let store = (try world.lineage() as NSString).deletingLastPathComponent
    let part = try #require(
      FileManager.default.contentsOfDirectory(atPath: store).first { $0.hasPrefix("partial=") }
    )
    let folder = "\(store)/\(part)"
    let log = try #require(
      FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".ndjson.gz") }
        .min()
    )
    return "\(folder)/\(log)"
  }
}
