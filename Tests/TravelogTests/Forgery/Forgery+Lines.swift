import Format
import Foundation
import Testing

extension Forgery {
  /// Forgeries of the lines of a log by somebody who computes the digest of its trailer again.
  static let lines: [Forgery] = [
    Forgery(lines: "a value is replaced") { try $0.replace("note of 9", "note of 8") },
    Forgery(lines: "a value is replaced, and the trailer keeps its digest", fixesTrailer: false) {
      try $0.replace("note of 9", "note of 8")
    },
    Forgery(lines: "a value becomes null") {
      try $0.replace(#""note":"note of 9""#, #""note":null"#)
    },
    Forgery(lines: "the id of an object is replaced") {
      try $0.replace(#""entity":"Guest","id":"9""#, #""entity":"Guest","id":"99""#)
    },
    Forgery(lines: "the entity of an object is replaced") {
      try $0.replace(#""entity":"Camp","id":"1""#, #""entity":"Place","id":"1""#)
    },
    Forgery(lines: "the list of changed properties is replaced") {
      try $0.replace(#""changed":["note"]"#, #""changed":["page"]"#)
    },
    Forgery(lines: "an update becomes an insert") {
      try $0.replace(#""op":"update""#, #""op":"insert""#)
    },
    Forgery(lines: "the author of a change is replaced, which no digest covers in its line") {
      lines in
      let place = try lines.place(#""txn":9,"seq":1"#)
      lines[place] = lines[place].replacing(#""author":"app""#, with: #""author":"ceo""#)
    },
    Forgery(lines: "the author of a transaction is replaced in all of its lines") { lines in
      for place in lines.indices {
        lines[place] = lines[place].replacing(#""author":"app""#, with: #""author":"ceo""#)
      }
    },
    Forgery(lines: "the time of a change is replaced, which no digest covers in its line") {
      lines in
      let place = try lines.place(#""txn":9,"seq":1"#)
      lines[place] = lines[place].replacing(/"ts":"2/, with: #""ts":"3"#)
    },
    Forgery(lines: "the time of a transaction is replaced in all of its lines") { lines in
      for place in lines.indices where lines[place].contains(#""txn":9,"#) {
        lines[place] = lines[place].replacing(/"ts":"2/, with: #""ts":"3"#)
      }
    },
    Forgery(
      "the time of a transaction is a path, and all digests are computed again",
      answer: "is not a time"
    ) { world in
      try world.alter(2) { lines in
        for place in lines.indices where lines[place].contains(#""txn":9,"#) {
          lines[place] = lines[place].replacing(/"ts":"[^"]+"/, with: #""ts":"/../../../x""#)
        }
      }
      try world.rewriteDigests(from: 2)
      return try travelog("verify", world.logs)
    },
    Forgery(lines: "the process of a transaction is replaced") { lines in
      let place = try lines.place(#"{"kind":"transaction","txn":9,"#)
      lines[place] = lines[place].replacing(/"pid":[0-9]+/, with: #""pid":1"#)
    },
    Forgery(lines: "the kind of a transaction is replaced") {
      try $0.replace(#""op":"recorded""#, #""op":"foreign""#)
    },
    Forgery(lines: "a transaction gets a reason") { lines in
      let place = try lines.place(#"{"kind":"transaction","txn":9,"#)
      lines[place] = lines[place].replacing(#","digest":"#, with: #","reason":"asked","digest":"#)
    },
    Forgery(lines: "two lines of a transaction change places") { lines in
      let place = try lines.place(#""txn":9,"seq":1"#)
      lines.swapAt(place, place + 1)
    },
    Forgery(lines: "two lines of a transaction change places, and are numbered again") { lines in
      let place = try lines.place(#""txn":9,"seq":1"#)
      lines.swapAt(place, place + 1)
      lines[place] = lines[place].replacing(#""seq":2"#, with: #""seq":1"#)
      lines[place + 1] = lines[place + 1].replacing(#""seq":1"#, with: #""seq":2"#)
    },
    Forgery(lines: "the last line of a transaction is left out") { lines in
      lines.remove(at: try lines.place(#""txn":9,"seq":6"#))
    },
    Forgery(lines: "the last line of a transaction is left out, and its lines are counted again") {
      lines in
      lines.remove(at: try lines.place(#""txn":9,"seq":6"#))
      for place in lines.indices where lines[place].contains(#""txn":9,"#) {
        lines[place] = lines[place].replacing(#""n":7"#, with: #""n":6"#)
          .replacing(#""seed":"7:"#, with: #""seed":"6:"#)
      }
      let trailer = lines.count - 1
      lines[trailer] = lines[trailer].replacing(#""changes":10"#, with: #""changes":9"#)
    },
    Forgery(lines: "a line is repeated") { lines in
      let place = try lines.place(#""txn":9,"seq":6"#)
      lines.insert(lines[place], at: place)
    },
    Forgery(lines: "a line of another transaction takes the place of one") { lines in
      let place = try lines.place(#""txn":10,"seq":2"#)
      let other = lines[try lines.place(#""txn":9,"seq":2"#)]
      lines[place] = other.replacing(#""txn":9"#, with: #""txn":10"#)
        .replacing(#""n":7"#, with: #""n":3"#)
    },
    Forgery(lines: "the seed of a transaction is replaced") {
      let place = try $0.place(#""txn":9,"seq":0"#)
      $0[place] = $0[place].replacing(
        /"seed":"7:[^"]+/,
        with: #""seed":"7:AAECAwQFBgcICQoLDA0ODw=="#
      )
    },
    Forgery(
      lines: "one seed is replaced by the two that follow from it, which give the same digest"
    ) { lines in
      let first = try lines.place(#""txn":9,"seq":0"#)
      let match = try #require(lines[first].firstMatch(of: /"seed":"7:([^"]+)",/))
      let seed = try #require(Data(base64Encoded: String(match.1)))
      let children = SHA256.digest(of: [2] + Array(seed)).bytes
      let parts = [children[..<16], children[16...]].map { Data($0).base64EncodedString() }
      lines[first] = lines[first].replacing(match.0, with: #""seed":"4:\#(parts[0])","#)
      let second = try lines.place(#""txn":9,"seq":4"#)
      lines[second] = lines[second].replacing(#""op":"#, with: #""seed":"3:\#(parts[1])","op":"#)
    },
    Forgery(
      lines: "the digest of its values is written into a whole line, which gives the same digest"
    ) { lines in
      let place = try lines.place(#""txn":9,"seq":0"#)
      lines[place] = try hidden(lines[place], count: 7, keepsSeed: true)
    },
    Forgery(lines: "other values are beside the digest of the values that a line had") { lines in
      let place = try lines.place(#""txn":9,"seq":0"#)
      lines[place] = try hidden(lines[place], count: 7, keepsSeed: false)
        .replacing("note of 9", with: "note of 8")
    },
    Forgery(lines: "a line of an update has the values of another one") { lines in
      let place = try lines.place(#""txn":10,"seq":0"#)
      lines[place] = lines[place].replacing("later note of 9", with: "later note of 10")
    },
    Forgery(lines: "a line has its keys in another order, which no digest covers") { lines in
      let place = try lines.place(#""txn":9,"seq":1"#)
      lines[place] = lines[place].replacing(#""seq":1,"n":7"#, with: #""n":7,"seq":1"#)
    },
    Forgery(lines: "a line has a key that the format does not have, which no digest covers") {
      lines in
      let place = try lines.place(#""txn":9,"seq":1"#)
      lines[place] = lines[place].replacing(#","op":"#, with: #","note":"approved","op":"#)
    },
    Forgery(lines: "a line has blanks, which no digest covers") { lines in
      let place = try lines.place(#""txn":9,"seq":1"#)
      lines[place] = lines[place].replacing(#""seq":1,"#, with: #""seq": 1,"#)
    },
    Forgery(lines: "a change is called an erasure, which no digest covers") { lines in
      let place = try lines.place(#""txn":9,"seq":1"#)
      lines[place] = lines[place].replacing(#""kind":"change""#, with: #""kind":"erasure""#)
    },
    Forgery(lines: "the digest of a transaction is replaced") { lines in
      let place = try lines.place(#"{"kind":"transaction","txn":9,"#)
      lines[place] = lines[place].replacing(/"digest":"[0-9a-f]{8}/, with: #""digest":"00000000"#)
    },
    Forgery(
      lines: "the digest of a transaction stands elsewhere in its line, which gives the same digest"
    ) { lines in
      let place = try lines.place(#"{"kind":"transaction","txn":9,"#)
      let match = try #require(lines[place].firstMatch(of: /,"digest":"[0-9a-f]{64}"/))
      lines[place] = lines[place].replacing(match.0, with: "").dropLast() + match.0 + "}"
    },
    Forgery(lines: "the digest of a transaction is written in capitals") { lines in
      let place = try lines.place(#"{"kind":"transaction","txn":9,"#)
      let match = try #require(lines[place].firstMatch(of: /"digest":"([0-9a-f]{64})"/))
      lines[place] = lines[place].replacing(match.1, with: match.1.uppercased())
    },
    Forgery(lines: "a transaction in the middle is left out", of: 1) { lines in
      lines.removeAll { $0.contains(#""txn":6,"#) }
    },
    Forgery(
      lines: "a transaction in the middle is left out, and the others are numbered again",
      of: 1
    ) { lines in
      lines.removeAll { $0.contains(#""txn":6,"#) }
      for place in lines.indices {
        lines[place] = lines[place].replacing(#""txn":7,"#, with: #""txn":6,"#)
          .replacing(#""txn":8,"#, with: #""txn":7,"#)
      }
    },
    Forgery(lines: "two transactions change places, and are numbered again", of: 1) { lines in
      let first = try lines.place(#""txn":6,"#)
      lines.swapAt(first, first + 2)
      lines.swapAt(first + 1, first + 3)
      for place in first...first + 1 {
        lines[place] = lines[place].replacing(#""txn":7,"#, with: #""txn":6,"#)
        lines[place + 2] = lines[place + 2].replacing(#""txn":6,"#, with: #""txn":7,"#)
      }
    },
    Forgery(lines: "the header names another digest as the one before") {
      try $0.replace(#""previous":""#, #""previous":"0"#)
    },
    Forgery(lines: "the header has a feature that nobody knows", answer: "unreadable:") {
      try $0.replace(#""features":"""#, #""features":"gaps""#)
    },
    Forgery(lines: "the header calls a whole log a filtered one") {
      try $0.replace(#""partial":"""#, #""partial":"Guest""#)
    },
    Forgery(lines: "the header names another store") { lines in
      lines[0] = lines[0].replacing(/"store":"[0-9A-F]{8}/, with: #""store":"00000000"#)
    },
    Forgery(lines: "the header names another lineage") {
      try $0.replace(#""lineage":0"#, #""lineage":1"#)
    },
    Forgery(lines: "the header's schema is altered, with its digest") { lines in
      let match = try #require(
        lines[0].firstMatch(of: /"schema":"([0-9a-f]{64})","definition":"((?:[^"\\]|\\.)*)"/)
      )
      let definition = match.2.replacing(#"\"isOptional\":true"#, with: #"\"isOptional\":false"#)
      let digest = SHA256.digest(of: Array(definition.replacing(#"\""#, with: "\"").utf8))
      lines[0] = lines[0].replacing(match.1, with: "\(digest)").replacing(match.2, with: definition)
    },
    Forgery(
      lines: "the header's schema is altered, and keeps its digest",
      answer: "does not have the digest"
    ) { lines in
      lines[0] = lines[0].replacing(#"\"isOptional\":true"#, with: #"\"isOptional\":false"#)
    },
    Forgery(lines: "the properties in the header have another order", answer: "at byte ") { lines in
      let first = try #require(
        lines[0].firstMatch(of: /"before":\{("[^"]+":[^,]+),("[^"]+":[^,]+),/)
      )
      lines[0] = lines[0].replacing(
        first.0,
        with: #""before":{\#(first.2),\#(first.1),"#
      )
    },
    Forgery(lines: "a log has an empty line") { $0.insert("", at: 3) },
    Forgery(lines: "the trailer counts other changes") { lines in
      try lines.replace(#""changes":10"#, #""changes":11"#)
    },
    Forgery(lines: "a log continues after its trailer") { lines in lines += lines },
    Forgery(lines: "a log has no trailer", answer: "incomplete") { $0.removeLast() },
    Forgery(lines: "the digest of a large value is replaced", of: 1) { lines in
      let place = try lines.place(#""txn":8,"#, #""large":"#)
      lines[place] = lines[place].replacing(/"sha256":"[0-9a-f]{8}/, with: #""sha256":"00000000"#)
    },
    Forgery(lines: "the size of a large value is replaced", of: 1) { lines in
      let place = try lines.place(#""txn":8,"#, #""large":"#)
      lines[place] = lines[place].replacing(/"size":[0-9]+/, with: #""size":1500001"#)
    },
  ]

  /// A line with the digest of its values, and with or without its seed.
  private static func hidden(_ line: String, count: Int64, keepsSeed: Bool) throws -> String {
    let match = try #require(line.firstMatch(of: /"seed":"[0-9]+:([^"]+)",/))
    let bytes = Array(try #require(Data(base64Encoded: String(match.1))))
    let seed = try #require(Seed(bytes: bytes))
    let salt = SeededRange(0..<count, seed).salt(of: 0)
    let start = try #require(line.firstRange(of: #","after":"#)).lowerBound
    let values = Array(line[start...].dropLast().utf8).withUnsafeBytes {
      valuesDigest($0, salt: salt)
    }
    let pair = #""values":"\#(values)","#
    return line.replacing(match.0, with: keepsSeed ? match.0 + pair : Substring(pair))
  }

  /// Forgeries after which somebody computes every digest again.
  static let histories: [Forgery] = [
    Forgery(history: "a value is replaced, and every digest is computed again") {
      try $0.replace("note of 9", "note of 8")
    },
    Forgery(
      history: "an old value is replaced, and every digest of three logs is computed again",
      of: 0
    ) {
      try $0.replace("note of 2", "note of 9")
    },
    Forgery(history: "an author is replaced, and every digest is computed again") { lines in
      for place in lines.indices {
        lines[place] = lines[place].replacing(#""author":"app""#, with: #""author":"ceo""#)
      }
    },
    Forgery(history: "a time is replaced, and every digest is computed again") { lines in
      for place in lines.indices where lines[place].contains(#""txn":9,"#) {
        lines[place] = lines[place].replacing(/\.[0-9]{6}Z/, with: ".000000Z")
      }
    },
    Forgery(history: "a deletion becomes an update, and every digest is computed again") { lines in
      let place = try lines.place(#""op":"delete""#)
      lines[place] = lines[place].replacing(#""op":"delete""#, with: #""op":"update""#)
        .replacing(#""id":"11","before":"#, with: #""id":"11","changed":["note"],"before":"#)
        .replacing(/"before":\{.*"note":"note of 11".*\}\}$/) { _ in
          #""before":{"note":"note of 11"},"after":{"note":"note of 12"}}"#
        }
    },
    Forgery(history: "a seed is replaced, and every digest is computed again") {
      let place = try $0.place(#""txn":9,"seq":0"#)
      $0[place] = $0[place].replacing(
        /"seed":"7:[^"]+/,
        with: #""seed":"7:AAECAwQFBgcICQoLDA0ODw=="#
      )
    },
  ]
}
