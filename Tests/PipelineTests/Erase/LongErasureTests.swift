import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import StoreTesting
import TestSupport
import Testing

@testable import Store

@Suite("Erasures that several transactions record")
struct LongErasureTests {
  private static let guest = worldSchema.index(of: "Guest") ?? 0

  /// A store with logs and a replica of them, in which guest 1 had seven notes.
  private struct Guests {
    let folder: URL
    let world: World
    private let note: ColumnIndex

    init(_ folder: URL, _ mode: HistoryMode) throws {
      self.folder = folder
      world = try World(folder, "guests", mode: mode)
      note = world.source.layouts[guest].column(of: "note") ?? 0
      for number in 0..<7 {
        let value = Value.text("secret \(number)")
        try world.source.write(Author(name: "app")) { writer in
          if number > 0 {
            try writer.update(guest, id: 1, columns: [note], values: [value])
          } else {
            var values = writer.layouts[guest].columns.map { _ in Value.null }
            values[note] = value
            for id in Int64(1)...3 { try writer.insert(guest, id: id, values: values) }
          }
        }
        if number % 3 == 2 { try world.export { $0.wantsSnapshot = number == 5 } }
      }
      try world.export()
      _ = try replica("follower.store")
    }

    func delete() throws {
      try world.source.write(Author(name: "officer", reason: "case 12")) {
        try $0.delete(guest, id: 1)
      }
      try world.export()
    }

    var request: EraseRequest {
      var request = EraseRequest(logs: world.logs, entity: "Guest", object: 1)
      request.store = world.path
      request.author = "officer"
      return request
    }

    func replica(_ name: String) throws -> Store {
      let path = folder.path + "/" + name
      _ = try importLogs(ImportRequest(logs: world.logs, store: path))
      return try Store.open(.file(URL(fileURLWithPath: path)))
    }

    /// The transactions of the store that record erasures.
    func recording() throws -> [Transaction] {
      try world.source.read { reader in
        let cursor = try reader.history()
        var found: [Transaction] = []
        while let next = try cursor.nextTransaction() {
          if !next.restatements.isEmpty { found.append(next) }
        }
        return found
      }
    }

    /// Whether a text is in a log.
    func isInLogs(_ text: String) throws -> Bool {
      let store = world.source.identifier
      let files =
        try world.logs.files(of: store, lineage: 0) + world.logs.snapshots(of: store, lineage: 0)
      return try files.contains { try gunzip($0.path).contains(text) }
    }
  }

  private func withGuests(
    _ mode: HistoryMode,
    most: Int = 2,
    _ body: (Guests) throws -> Void
  ) throws {
    try RestatedRows.$most.withValue(most) {
      try withTemporaryFolder { folder in try body(Guests(folder, mode)) }
    }
  }

  @Test("An erasure of many lines is proven by several transactions, and replicas erase the same.")
  func erasure() throws {
    try withGuests(.full) { guests in
      try guests.delete()
      let head = try guests.world.source.read { try $0.sealedHead() }
      let result = try erase(guests.request)
      #expect(result.storeTransactions == 8)
      let recording = try guests.recording()
      // The snapshot has one more line.
      #expect(recording.map(\.id) == Array(head + 1...head + 5))
      #expect(recording.allSatisfy { $0.restatements.flatMap(\.lines).count <= 2 })
      #expect(recording.allSatisfy { $0.erasure?.object == ObjectName("Guest", id: 1) })
      #expect(try !guests.isInLogs("secret 3"))
      let verified = try verify(VerifyRequest(logs: guests.world.logs))
      #expect(verified.map(\.findings) == [[]] && verified.map(\.notices) == [[]])
      #expect(verified.map { $0.except.map(\.kind) } == [[.restated]])
      #expect(verified.allSatisfy { !$0.isUnproven && $0.erasures == nil })
      for name in ["follower.store", "new.store"] {
        let replica = try guests.replica(name)
        #expect(try lines(of: replica) == lines(of: guests.world.source))
        #expect(try rowDump(of: replica) == rowDump(of: guests.world.source))
      }
      // A second erasure has nothing to record.
      #expect(try erase(guests.request).values == 0)
      #expect(try guests.recording().count == 5)
    }
  }

  @Test("An erasure that was stopped anywhere never leaves an erased line without its record.")
  func stopped() throws {
    struct Stopped: Error {}
    var wasStopped = true
    var last = 0
    while wasStopped {
      try withGuests(.full, most: 1) { guests in
        try guests.delete()
        var ticks = 0
        wasStopped = false
        do {
          _ = try erase(guests.request) { _ in
            ticks += 1
            if ticks > last { throw Stopped() }
          }
        } catch is Stopped {
          wasStopped = true
        }
        let findings = try verify(VerifyRequest(logs: guests.world.logs)).flatMap(\.findings)
        #expect(findings.allSatisfy { $0.kind == .unfinished }, "\(last): \(findings)")
        _ = try erase(guests.request)
        #expect(try !guests.isInLogs("secret 3"))
        #expect(try guests.recording().count == 9)
        let verified = try verify(VerifyRequest(logs: guests.world.logs))
        #expect(verified.map(\.findings) == [[]])
        #expect(verified.map { $0.except.map(\.kind) } == [[.restated]])
        #expect(
          try lines(of: guests.replica("follower.store")) == lines(of: guests.world.source)
        )
      }
      last += 1
    }
    #expect(last > 20)
  }

  @Test("A deletion that erases many lines is proven without the records beside the logs.")
  func deletion() throws {
    try withGuests(.tombstones) { guests in
      try guests.delete()
      let recording = try guests.recording()
      #expect(recording.map(\.operation) == [.recorded, .erase, .erase, .erase])
      #expect(recording.allSatisfy { $0.author == "officer" && $0.reason == "case 12" })
      let follower = try guests.replica("follower.store")
      #expect(try lines(of: follower) == lines(of: guests.world.source))
      // The logs of a new folder have only the erased lines.
      let logs = LogFolder(guests.folder.path + "/again")
      try logs.create()
      try startLogs(of: guests.world.path, in: logs)
      let store = guests.world.source.identifier
      let records = logs.erasures(of: store, lineage: 0)
      for hasRecords in [true, false] {
        if !hasRecords { try FileManager.default.removeItem(atPath: records) }
        let verified = try verify(VerifyRequest(logs: logs))
        #expect(verified.map(\.findings) == [[]])
        #expect(verified.map { $0.except.map(\.kind) } == [[.restated]])
        #expect(verified.allSatisfy { $0.erased == 7 && !$0.isUnproven })
        #expect(verified.flatMap(\.except).flatMap(\.by) == [9, 10, 11, 12])
      }
    }
  }

  @Test("If an erasure ends after the given head, the lines that it restates there are unproven.")
  func earlierHead() throws {
    try withGuests(.tombstones) { guests in
      try guests.delete()
      let logs = LogFolder(guests.folder.path + "/again")
      try logs.create()
      try startLogs(of: guests.world.path, in: logs)
      for (id, isUnproven) in [(11, true), (12, false)] as [(Int64, Bool)] {
        var request = VerifyRequest(logs: logs)
        request.heads = [try guests.world.source.read { try $0.point(id).digest }]
        #expect(try verify(request).map(\.isUnproven) == [isUnproven])
      }
    }
  }
}
