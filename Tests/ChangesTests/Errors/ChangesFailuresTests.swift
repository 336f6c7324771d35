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
}
