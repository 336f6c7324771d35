import Foundation
import TestSupport
import Testing

@Suite("The table of forgeries")
struct ForgeryTableTests {
  /// Forgeries of one kind of file; they share the world that each of them alters.
  struct Group: CustomTestStringConvertible {
    let name: String
    let forgeries: [Forgery]
    var hasSnapshot = false
    var isRestored = false
    var erasure: LongerWorld.Erasure?

    var testDescription: String { name }
  }

  static let groups = [
    Group(name: "lines", forgeries: Forgery.lines),
    Group(name: "histories", forgeries: Forgery.histories),
    Group(name: "folders", forgeries: Forgery.folders),
    Group(name: "snapshots", forgeries: Forgery.snapshots, hasSnapshot: true),
    Group(name: "lineages", forgeries: Forgery.lineages, isRestored: true),
    Group(name: "erasures", forgeries: Forgery.erasures, erasure: .besideLogs),
    Group(name: "erasures in the chain", forgeries: Forgery.erasuresInChain, erasure: .inChain),
    Group(name: "filtered logs", forgeries: Forgery.filtered),
    Group(name: "trees, checkpoints and heads", forgeries: Forgery.trees),
    Group(name: "signatures", forgeries: Forgery.signatures),
    Group(name: "signatures of witnesses", forgeries: Forgery.witnesses),
    Group(name: "proofs", forgeries: Forgery.proofs),
  ]

  @Test("The program finds each forgery.", arguments: groups)
  func finds(group: Group) throws {
    try withTemporaryFolder { folder in
      let world = try LongerWorld(
        folder,
        hasSnapshot: group.hasSnapshot,
        erasure: group.erasure,
        isRestored: group.isRestored
      )
      for (number, forgery) in group.forgeries.enumerated() {
        let place = folder.appendingPathComponent("\(number)")
        let run = try forgery.run(world.copy(to: place))
        let answer = run.output + run.errors
        #expect(
          forgery.codes.contains(run.code)
            && (forgery.answer.isEmpty || answer.contains(forgery.answer)),
          "\(forgery.name): \(run.code) \(answer)"
        )
        try FileManager.default.removeItem(at: place)
      }
    }
  }

  @Test("Each of the 211 forgeries of TESTING.md has a name of its own.")
  func names() {
    // Without libcrypto there are no signatures to forge.
    guard !Forgery.signatures.isEmpty else { return }
    #expect(Set(Self.groups.flatMap(\.forgeries).map(\.name)).count == 211)
  }
}
