import Changes
import Glibc
import Testing

@Suite("Errors about schemas, tokens and large values")
struct ChangesFailuresTests {
  @Test(
    "An invalid schema is an error that names the entity and says what to do.",
    arguments: [
      (.duplicateEntity("Trip"), "Trip"), (.missingEntity("Plan", neededBy: "Trip"), "Plan"),
      (.reservedName("store_x"), "store_x"), (.sameTable("trip"), "trip"),
      (.tooManyProperties(991, limit: 990), "991"),
    ] as [(SchemaFailure, String)]
  )
  func schemas(failure: SchemaFailure, name: String) {
    let error = StoreError(failure)
    #expect(error.code == .invalidSchema)
    #expect(error.message.contains(name) && error.message.hasSuffix("."))
    #expect(!error.hint.isEmpty)
  }

  @Test(
    "A history token that can't be read is an error with the reason, shortened if it is long.",
    arguments: [
      (.unreadable("not JSON"), "not JSON"), (.kind(nil, expected: "token"), "missing"),
      (.kind("x", expected: "token"), "not token"), (.version(9, known: 2), "version 9"),
      (.members(missing: ["a"], unknown: ["b"]), "[b]"), (.lacksItsStore("S"), "S"),
      (.impossiblePoint(lineage: -1, transaction: 5, digest: "d"), "lineage -1"),
    ] as [(TokenFailure, String)]
  )
  func tokens(failure: TokenFailure, reason: String) {
    let error = StoreError(failure)
    #expect(error.message.contains(reason))
    if case .version = failure {
      #expect(error.code == .newerFormat)
    } else {
      #expect(error.code == .damaged && error.hint.contains("delete the token"))
    }
    let long = StoreError(TokenFailure.unreadable(String(repeating: "x", count: 5000)))
    #expect(long.message.count < 200)
  }

  @Test("An error about a large value has a code for its cause.")
  func values() {
    #expect(StoreError(ValueFailure.file(verb: "open", ENOENT)).code == .missingBlob)
    #expect(StoreError(ValueFailure.file(verb: "open", ENOTDIR)).code == .missingBlob)
    #expect(StoreError(ValueFailure.file(verb: "read", EIO)).code == .inputOutput)
    #expect(StoreError(ValueFailure.altered(digest: "ab")).code == .damaged)
    let memory = StoreError(ValueFailure.outOfMemory(bytes: 1))
    #expect(memory.code == .outOfMemory && memory.message.contains("1 byte."))
  }

  @Test("The errors about schemas, tokens and large values have exact texts.")
  func texts() {
    let delete = " The token was damaged or altered; delete the token."
    let long = String(repeating: "x", count: 81)
    let short = String(repeating: "x", count: 50) + "… (81 characters)"
    let texts: [(any StoreReason, String)] = [
      (
        SchemaFailure.reservedName("store_x"),
        "No entity can be named store_x: names that begin with sqlite_, store_ or history_ are"
          + " reserved for the store. Rename the entity."
      ),
      (
        SchemaFailure.sameTable("trip"),
        "Two tables would be named trip, because SQLite ignores case."
          + " Rename one of the two entities."
      ),
      (
        SchemaFailure.tooManyProperties(991, limit: 990),
        "An entity and its descendants have 991 properties; the limit is 990. Split the entity."
      ),
      (TokenFailure.unreadable(long), "The history token can't be read (\(short)).\(delete)"),
      (
        TokenFailure.kind(nil, expected: "token"),
        "This is not a history token: its kind is missing, not token.\(delete)"
      ),
      (
        TokenFailure.kind(long, expected: "token"),
        "This is not a history token: its kind is \(short), not token.\(delete)"
      ),
      (
        TokenFailure.version(9, known: 2),
        "The history token has version 9; this program reads version 2."
          + " Use a newer version of the program."
      ),
      (
        TokenFailure.members(missing: ["a", "b"], unknown: []),
        "The history token lacks the keys [a, b].\(delete)"
      ),
      (
        TokenFailure.members(missing: ["a"], unknown: ["b", long]),
        "The history token has the unknown keys [b, \(short)].\(delete)"
      ),
      (
        TokenFailure.lacksItsStore("S"),
        "The history token names the store S, but contains no position for this store.\(delete)"
      ),
      (
        TokenFailure.impossiblePoint(lineage: -1, transaction: 5, digest: "d"),
        "The history token has an impossible position: lineage -1, transaction 5, digest d."
          + delete
      ),
      (
        ValueFailure.outOfMemory(bytes: 2),
        "There is not enough memory for a change of 2 bytes."
          + " Try again when other programs need less memory, or raise this program's limit."
      ),
    ]
    for (reason, text) in texts { #expect(StoreError(reason).description == text) }
    #expect(
      StoreError(ValueFailure.altered(digest: "ab")).message
        == "The large value ab of the store was altered: its bytes do not have this digest."
    )
    #expect(
      ValueFailure.file(verb: "read", EIO).at("/a/b").description
        == "Can't read the large value /a/b: Input/output error. Restore the file from a copy."
    )
  }

  @Test("An error of a store keeps its reason and its cause when it gets the path of the user.")
  func paths() {
    struct Cause: Error {}
    let error = ValueFailure.file(verb: "read", EIO).at("/a", cause: Cause()).at("/b")
    #expect(error.path == "/b" && error.cause is Cause && error.code == .inputOutput)
    #expect(error.message == "Can't read the large value /b: Input/output error.")
    #expect(StoreError(ValueFailure.altered(digest: "ab")).path == nil)
  }
}
