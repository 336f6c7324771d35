import Format
import Store

/// Writing a token that was read gives the same token, and so does reading that again.
func fuzzToken(_ bytes: [UInt8]) throws {
  try refusing {
    let token = try Bookmark(json: bytes)
    guard try Bookmark(json: token.json()) == token else {
      throw FuzzFinding(message: "The token is another one when it was written and read.")
    }
  }
}
