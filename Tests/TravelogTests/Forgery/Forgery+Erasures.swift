import Foundation
import Testing

extension Forgery {
  /// A forgery in logs from which the note of guest 11 was erased, by their lines; the digest of the trailer of the
  /// forged log is computed again.
  private init(
    erasure name: String,
    _ alter: @escaping @Sendable (inout [String]) throws -> Void
  ) {
    self.init(name) { world in
      try world.alter(2, alter)
      return try travelog("verify", world.logs)
    }
  }

  static let erasures: [Forgery] = [
    Forgery(erasure: "a value that remains in an erased line is replaced") { lines in
      let place = try lines.place(#""txn":9,"#, #""id":"11""#)
      lines[place].replace(#""page":null"#, with: #""page":"https://example.org/forged""#)
    },
    Forgery(erasure: "an erased value is replaced by another one") { lines in
      let place = try lines.place(#""txn":9,"#, #""id":"11""#)
      lines[place].replace(#""note":null"#, with: #""note":"forged""#)
      lines[place].replace(/,"special":\{.*\}\}/, with: "")
    },
    Forgery(erasure: "the digest of the erased values is replaced") { lines in
      let place = try lines.place(#""txn":9,"#, #""id":"11""#)
      lines[place].replace(/"values":"[0-9a-f]{8}/, with: #""values":"00000000"#)
    },
    Forgery(erasure: "the restated salt of an erased line is replaced") { lines in
      let place = try lines.place(#""txn":9,"#, #""id":"11""#)
      lines[place].replace(/"salt":"[^"]{4}/, with: #""salt":"AAAA"#)
    },
    Forgery(erasure: "the object of an erased line is replaced") { lines in
      let place = try lines.place(#""txn":9,"#, #""id":"11""#)
      lines[place].replace(#""id":"11""#, with: #""id":"12""#)
    },
    Forgery(erasure: "the seed that would give the erased salt is published again") { lines in
      let place = try lines.place(#""txn":9,"seq":0,"#)
      lines[place].replace(/"seed":"[0-9]+:/, with: #""seed":"7:"#)
    },
    Forgery("the reason in the record of an erasure is replaced") { world in
      try world.alter(file: world.world.lineage() + "/_erasures.ndjson") {
        $0.replace(Data("case 12".utf8), with: Data("case 13".utf8))
      }
      return try travelog("verify", world.logs)
    },
    Forgery("the record of an erasure is left out") { world in
      try FileManager.default.removeItem(atPath: world.world.lineage() + "/_erasures.ndjson")
      return try travelog("verify", world.logs)
    },
  ]
}
