import Changes
import Store

/// A token that is read is written as the same one, and that again is read as the same.
func fuzzToken(_ bytes: [UInt8]) throws {
  try refusing {
    let token = try Bookmark(json: bytes)
    guard try Bookmark(json: token.json()) == token else {
      throw FuzzFinding(message: "The token is another one when it was written and read.")
    }
  }
}
