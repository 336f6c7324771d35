import Foundation
import PipelineTesting
import Testing

extension Forgery {
  /// A forgery of a snapshot, in a folder whose head somebody kept.
  ///
  /// A snapshot that nothing proves is an unproven part, which ends with 17.
  private init(
    snapshot name: String,
    codes: Set<Int32> = [1, 17],
    _ alter: @escaping @Sendable (_ world: LongerWorld, _ snapshot: String) throws -> Void
  ) {
    self.init(name, codes: codes) { world in
      let whole = try travelog("verify", world.logs, "--head", world.head)
      try #require(whole.code == 0, "\(whole.output)\(whole.errors)")
      try alter(world, try #require(world.world.files("snapshots/").first))
      return try travelog("verify", world.logs, "--head", world.head)
    }
  }

  static let snapshots: [Forgery] = [
    Forgery(snapshot: "a value in a snapshot is replaced, and its digests are computed again") {
      world,
      snapshot in
      try world.world.rewrite([snapshot], "note of 2", "note of 9")
      let replica = world.folder.path + "/replica.store"
      let run = try travelog("import", world.logs, "--into", replica, "--from-snapshot")
      #expect(run.code != 0, "\(run.output)")
    },
    Forgery(
      snapshot: "the id of an object in a snapshot is replaced, and its digests are computed again"
    ) {
      world,
      snapshot in
      try world.world.rewrite([snapshot], #""id":"2""#, #""id":"22""#)
    },
    Forgery(snapshot: "the logs before a snapshot are removed", codes: [17]) { world, _ in
      try FileManager.default.removeItem(atPath: world.world.files()[0])
      #expect(try travelog("verify", world.logs, "--against", world.world.store).code == 17)
    },
    Forgery(snapshot: "the logs before a snapshot are removed, and the tree", codes: [17]) {
      world,
      _ in
      try FileManager.default.removeItem(atPath: world.world.files()[0])
      try FileManager.default.removeItem(atPath: world.world.lineage() + "/_tree")
    },
    Forgery(
      snapshot:
        "the logs before a snapshot are removed, the tree is built again, and a checkpoint was kept",
      codes: [17, 1]
    ) { world, _ in
      let kept = try travelog("checkpoint", world.logs).output
      try FileManager.default.removeItem(atPath: world.world.files()[0])
      try FileManager.default.removeItem(atPath: world.world.lineage() + "/_tree")
      try #require(travelog("checkpoint", world.logs).code == 0)
      let path = world.folder.path + "/kept"
      try kept.write(toFile: path, atomically: true, encoding: .utf8)
      #expect(try travelog("verify", world.logs, "--head", path).code == 1)
      #expect(try travelog("verify", world.logs, "--since", path).code != 0)
      // A head does not show that a history once had a beginning.
      try FileManager.default.removeItem(atPath: world.world.lineage() + "/_tree")
    },
    Forgery(snapshot: "a value in a snapshot is replaced", codes: [1]) { world, snapshot in
      let text = try gunzip(snapshot).replacing("note of 2", with: "note of 9")
      try world.world.write(Array(text.utf8), to: snapshot)
    },
    Forgery(snapshot: "a snapshot has the name of another transaction", codes: [1]) { _, snapshot in
      try FileManager.default.moveItem(
        atPath: snapshot,
        toPath: snapshot.replacing("4.ndjson", with: "3.ndjson")
      )
    },
    Forgery(
      snapshot: "a snapshot names another digest before it, and its digests are computed again"
    ) {
      world,
      snapshot in
      try world.world.rewrite([snapshot], #""previous":""#, #""previous":"00"#)
    },
    Forgery(snapshot: "a snapshot is among the logs of its day", codes: [1]) { world, snapshot in
      let log = try #require(world.world.files().first)
      let place = (log as NSString).deletingLastPathComponent
      let id = String(repeating: "0", count: 19) + "4"
      try FileManager.default.copyItem(atPath: snapshot, toPath: "\(place)/\(id)-\(id).ndjson.gz")
    },
    Forgery(
      snapshot:
        "a snapshot and the mark that proves it are forged, and every digest is computed again",
      codes: [1]
    ) { world, snapshot in
      let old = try #require(world.world.digests(gunzip(snapshot)).last)
      try world.world.rewrite([snapshot], "note of 2", "note of 9")
      let new = try #require(world.world.digests(gunzip(snapshot)).last)
      let logs = try world.world.files()
      try #require(logs.contains { try gunzip($0).contains(old) }, "no mark names the snapshot")
      try world.world.rewrite(logs, old, new)
      try FileManager.default.removeItem(atPath: world.token())
      let alone = try travelog("verify", world.logs)
      #expect(alone.code == 0, "It should be sound in itself: \(alone.output)")
    },
  ]
}
