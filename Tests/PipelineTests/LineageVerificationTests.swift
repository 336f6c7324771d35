import Changes
import Foundation
import Store
import StoreTesting
import TestSupport
import Testing

@testable import ChangeLog
@testable import Pipeline

@Suite("Verifying the logs of one lineage")
struct LineageVerificationTests {
  /// Cuts a file after some bytes.
  private func cut(_ path: String, after count: Int = 40) throws {
    let url = URL(fileURLWithPath: path)
    try Data(contentsOf: url).prefix(count).write(to: url)
  }

  @Test("Verification ends before a log that is damaged or missing, and counts the later logs.")
  func interruption() throws {
    for place in 0..<5 {
      for isMissing in [false, true] {
        try withTemporaryFolder { folder in
          let world = try World(folder, "interrupted logs")
          for id in 1...10 as ClosedRange<Int64> {
            try world.insertGuest(id)
            if id % 2 == 0 { try world.export() }
          }
          let files = try world.logs.files(of: world.source.identifier, lineage: 0)
          if isMissing {
            try FileManager.default.removeItem(atPath: files[place].path)
          } else {
            try cut(files[place].path)
          }
          var request = VerifyRequest(logs: world.logs)
          request.token = folder.path + "/no token"
          let end = try world.point(Int64(place) * 2)
          let last = try world.point(10)
          request.heads = [end.digest]
          let result = try #require(verify(request).first)
          let name = Comment(rawValue: "log \(place), \(isMissing ? "missing" : "damaged")")
          #expect(result.from.transaction == 0 && result.to == end, name)
          #expect(result.heads == [end] && result.proven == end && result.proof == .head, name)
          // The log after a missing log is not read.
          let unread = isMissing && place < 4 ? 2 : 1
          #expect(result.files == 5 - unread, name)
          #expect(result.transactions == Int64(10 - 2 * unread), name)
          #expect(result.changes == result.transactions, name)
          // If the last log is missing, the tree shows that.
          let isEnd = isMissing && place == 4
          let path =
            isEnd ? world.treePath() : files[isMissing ? place + 1 : place].path
          let kind: Finding.Kind = isEnd ? .endMissing : isMissing ? .gap : .incomplete
          #expect(result.findings.map(\.path) == [path], name)
          #expect(result.findings.map(\.kind) == [kind], name)
          request.heads = [last.digest]
          let later = try #require(verify(request).first)
          #expect(later.heads == [] && later.proven == nil, name)
          #expect(later.findings.last?.kind == .endMissing, name)
          #expect(later.findings.last?.transaction == end.transaction, name)
          #expect(later.findings.count == result.findings.count + 1, name)
        }
      }
    }
  }

  /// Calls `body` with logs of an erased guest.
  ///
  /// Transaction 1 inserts the guest, 2 deletes the guest, and both are in the first log. The second
  /// log has transaction 3.
  private func withErasure(_ body: (World, [String]) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "verified erasure")
      try world.insertGuest(1, note: "a secret")
      try world.deleteGuest(1)
      try world.export()
      try world.insertGuest(2)
      try world.export()
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.erasures) == [nil])
      _ = try erase(EraseRequest(logs: world.logs, entity: "Guest", object: 1))
      try body(world, world.logs.files(of: world.source.identifier, lineage: 0).map(\.path))
    }
  }

  @Test("Verification counts erased transactions, and returns the digest of the last record.")
  func erasure() throws {
    try withErasure { world, _ in
      let identifier = world.source.identifier
      let records = try Erasures(
        path: world.logs.erasures(of: identifier, lineage: 0),
        store: identifier,
        lineage: 0
      )
      let result = try #require(verify(VerifyRequest(logs: world.logs)).first)
      #expect(result.erased == 2 && result.erasures == records.head && result.findings == [])
      #expect(result.except.map(\.kind) == [.unanchored])
      #expect(result.except.map(\.transactions) == [[1, 2]])
      var request = VerifyRequest(logs: world.logs)
      request.erasures = [records.head]
      #expect(try verify(request).map(\.isUnproven) == [false])
      #expect(try verify(request).map(\.findings) == [[]])
      let other = SHA256.digest(of: [1])
      request.erasures = [other]
      #expect(try verify(request).map(\.findings) == [[Finding(.erasuresAreOther(other))]])
    }
  }

  @Test("Records of an erasure in a damaged log are not reported in addition to the damage.")
  func erasureInDamagedLog() throws {
    try withErasure { world, paths in
      try cut(paths[0])
      var request = VerifyRequest(logs: world.logs)
      request.token = world.folder.path + "/no token"
      let findings = try verify(request).flatMap(\.findings)
      #expect(findings.map(\.path) == [paths[0]] && findings.map(\.kind) == [.incomplete])
    }
  }

  @Test("A record of an erasure is a finding only if the logs should have its transaction.")
  func records() throws {
    try withErasure { world, _ in
      let identifier = world.source.identifier
      let path = world.logs.erasures(of: identifier, lineage: 0)
      let sound = try Data(contentsOf: URL(fileURLWithPath: path))
      let other = SHA256.digest(of: [1])
      for id in 1...5 as ClosedRange<Int64> {
        for operation in [.recorded, .snapshot] as [TransactionOperation] {
          try sound.write(to: URL(fileURLWithPath: path))
          var erasures = try Erasures(path: path, store: identifier, lineage: 0)
          let record = ErasureRecord(
            time: "2026-01-01T00:00:00.000000Z",
            transaction: id,
            operation: operation,
            digest: other,
            lines: other
          )
          try erasures.append([record], to: path)
          let result = try #require(verify(VerifyRequest(logs: world.logs)).first)
          let isFinding = operation == .recorded && id <= 3
          let finding = Finding(.isUnknownErasure(other), path: path, transaction: id)
          #expect(result.findings == (isFinding ? [finding] : []), "\(operation) \(id)")
          let notice = Notice.recordIsAhead(path, transaction: id, end: 3)
          #expect(
            result.notices == (operation == .recorded && id > 3 ? [notice] : []),
            "\(operation) \(id)"
          )
        }
      }
    }
  }

  @Test("Verification of filtered logs counts what the logs contain and what was left out.")
  func filtered() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "verified filtered logs")
      var filter = ExportFilter()
      filter.authors = ["app"]
      try world.insertGuests(1...2)
      let guest = try #require(worldSchema.index(of: "Guest"))
      let values = world.source.layouts[guest].columns.map { _ in Value.null }
      try world.source.write(Author(name: "other")) {
        try $0.insert(guest, id: 3, values: values)
      }
      try world.insertGuests(4...6)
      try world.export { $0.filter = filter }
      for id in 7...8 as ClosedRange<Int64> {
        try world.insertGuest(id)
        try world.export { $0.filter = filter }
      }
      var request = VerifyRequest(logs: world.logs)
      request.includesFiltered = true
      let results = try verify(request)
      let result = try #require(results.first)
      // Transaction 4 proves the description of the filter.
      let end = try world.point(6)
      #expect(results.count == 1 && result.findings == [] && result.words == filter.words)
      #expect(result.store == world.source.identifier && result.lineage == 0)
      #expect(result.filterName == LogFolder.partialName(filter.words))
      #expect(result.files == 3 && result.transactions == 5 && result.changes == 7)
      #expect(result.to == end)
      try #expect(result.from == world.point(0))
      #expect(result.except.map(\.description) == ["1 transaction left out"])
      #expect(result.except.map(\.transactions) == [[2]])
      // After a damaged log, the next log is verified from its own beginning.
      let partial = world.logs.partial(leavingOut: filter.words)
      let files = try partial.files(of: world.source.identifier, lineage: 0)
      let sound = try Data(contentsOf: URL(fileURLWithPath: files[1].path))
      try cut(files[1].path)
      let damaged = try #require(verify(request).first)
      #expect(damaged.findings.map(\.path) == [files[1].path])
      #expect(damaged.findings.map(\.kind) == [.incomplete])
      #expect(damaged.files == 2 && damaged.transactions == 4 && damaged.changes == 6)
      #expect(damaged.to == end)
      // Filtered logs can begin at any transaction.
      try sound.write(to: URL(fileURLWithPath: files[1].path))
      try FileManager.default.removeItem(atPath: files[0].path)
      let later = try #require(verify(request).first)
      #expect(later.findings == [] && later.files == 2 && later.to == end)
      // Nothing says that the logs begin there.
      #expect(later.transactions == 2 && later.except.map(\.kind) == [.filter, .missing])
      // A log between two others must not be missing.
      try FileManager.default.removeItem(atPath: files[1].path)
      try world.insertGuest(9)
      try world.export { $0.filter = filter }
      let last = try #require(partial.files(of: world.source.identifier, lineage: 0).last)
      #expect(last.range == 7...7)
      #expect(try verify(request).map(\.findings) == [[]])
      try world.insertGuest(10)
      try world.export { $0.filter = filter }
      try FileManager.default.removeItem(atPath: last.path)
      let missing = try #require(verify(request).first)
      #expect(missing.findings.map(\.kind) == [.gap])
      #expect(missing.findings.map(\.transaction) == [8])
    }
  }

  @Test("The token at the end of the logs confirms the end, and any other token is a finding.")
  func tokens() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "verified tokens")
      for id in 1...4 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export()
      let identifier = world.source.identifier
      let path = folder.path + "/token.json"
      var request = VerifyRequest(logs: world.logs)
      request.token = path
      func expect(_ point: HistoryPoint, _ end: Verification.EndProof, _ findings: [Finding]) throws
      {
        try Data(Bookmark(store: identifier, points: [identifier: point]).json())
          .write(to: URL(fileURLWithPath: path))
        let result = try #require(verify(request).first)
        #expect(result.end == end && result.findings == findings, "\(point)")
      }
      #expect(try verify(request).map(\.end) == [.none])
      for id in 0...6 as ClosedRange<Int64> {
        for isOther in [false, true] where id > 0 && id <= 4 || isOther {
          var point = try world.point(min(id, 4))
          point.transaction = id
          if isOther { point.digest = SHA256.digest(of: [1]) }
          let finding =
            id > 4
            ? Finding(.tokenIsAhead(end: 4), path: path, transaction: id)
            : Finding(.tokenIsOther, path: path, transaction: id)
          try expect(point, id == 4 && !isOther ? .token : .none, isOther ? [finding] : [])
        }
      }
      // A token of a later lineage is ahead of the logs, whatever its transaction is.
      var later = try world.point(2)
      later.lineage = 1
      let ahead = Finding(.tokenIsAhead(end: 4), path: path, transaction: 2)
      try expect(later, .none, [ahead])
    }
  }

  @Test("After a position, each log must continue the log before it, and the position.")
  func positions() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "logs after a position")
      for id in 1...8 as ClosedRange<Int64> {
        try world.insertGuest(id)
        if id % 2 == 0 { try world.export() }
      }
      let files = try world.logs.files(of: world.source.identifier, lineage: 0)
      #expect(files.map(\.range) == [1...2, 3...4, 5...6, 7...8])
      func verified(_ id: Int64, isOther: Bool = false) throws -> Verification {
        var request = VerifyRequest(logs: world.logs)
        request.token = folder.path + "/no token"
        let digest = try isOther ? SHA256.digest(of: []) : world.point(id).digest
        request.after = TrustedPosition(transaction: id, digest: digest)
        return try #require(verify(request).first)
      }
      for id in 1...8 as ClosedRange<Int64> {
        let sound = try verified(id)
        // The log that contains the position is read too, unless the position is its end.
        #expect(sound.files == (id == 8 ? 1 : 4 - Int(id) / 2), "\(id)")
        #expect(sound.findings == [] && sound.transactions == 8 - id, "\(id)")
        try #expect(sound.from == world.point(id) && sound.to == world.point(8), "\(id)")
        #expect(sound.after == sound.from, "\(id)")
        let other = try verified(id, isOther: true)
        let isEnd = id % 2 == 0 && id < 8
        let path = files[isEnd ? Int(id) / 2 : (Int(id) - 1) / 2].path
        #expect(other.findings.map(\.path) == [path] && other.verdict == .damaged, "\(id)")
        #expect(other.findings.map(\.kind) == [.damaged], "\(id)")
        #expect(other.findings.map(\.transaction) == [isEnd ? id + 1 : id], "\(id)")
      }
      try FileManager.default.removeItem(atPath: files[2].path)
      for id in 1...4 as ClosedRange<Int64> {
        let missing = try verified(id)
        #expect(missing.findings.map(\.kind) == [.gap], "\(id)")
        #expect(missing.findings.map(\.path) == [files[3].path], "\(id)")
        try #expect(missing.to == world.point(4), "\(id)")
      }
    }
  }

  @Test("After a position, only snapshots of later transactions are verified.")
  func snapshotsAfterPosition() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "snapshots after a position")
      try world.insertGuest(1)
      try world.export()
      // The snapshot of transaction 1 is proven by 2.
      try world.export { $0.wantsSnapshot = true }
      try world.insertGuest(3)
      try world.export()
      for id in 0...3 as ClosedRange<Int64> {
        var request = VerifyRequest(logs: world.logs)
        request.after = TrustedPosition(transaction: id, digest: try world.point(id).digest)
        let result = try #require(verify(request).first)
        #expect(result.findings == [] && result.snapshots == (id == 0 ? 1 : 0), "\(id)")
      }
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.snapshots) == [1])
    }
  }

  @Test("After a position, only a token at the position or later is compared with the logs.")
  func tokensAfterPosition() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "tokens after a position")
      for id in 1...4 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export()
      let identifier = world.source.identifier
      let path = folder.path + "/token.json"
      var request = VerifyRequest(logs: world.logs)
      request.token = path
      request.after = TrustedPosition(transaction: 2, digest: try world.point(2).digest)
      for id in 1...5 as ClosedRange<Int64> {
        for isOther in [false, true] where id < 5 || isOther {
          var point = try world.point(min(id, 4))
          point.transaction = id
          if isOther { point.digest = SHA256.digest(of: [1]) }
          try Data(Bookmark(store: identifier, points: [identifier: point]).json())
            .write(to: URL(fileURLWithPath: path))
          let result = try #require(verify(request).first)
          let finding =
            id == 5
            ? Finding(.tokenIsAhead(end: 4), path: path, transaction: 5)
            : Finding(.tokenIsOther, path: path, transaction: id)
          #expect(result.findings == (isOther && id > 1 ? [finding] : []), "\(id) \(isOther)")
          #expect(result.end == (id == 4 && !isOther ? .token : .none), "\(id) \(isOther)")
        }
      }
    }
  }

  /// Calls `body` with logs of a store, after a copy of the store began a lineage at transaction 2.
  private func withCopy(_ body: (World, RecoverResult) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "lineage of a copy")
      for id in 1...2 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export()
      let copy = folder.path + "/copy.store"
      try copyStore(world.path, to: copy)
      try world.insertGuest(3)
      try world.export()
      try body(world, recover(RecoverRequest(store: copy, logs: world.logs)))
    }
  }

  @Test("After the first transaction of a later lineage, nothing is said about its parent.")
  func positionAtBeginning() throws {
    try withCopy { world, recovered in
      let begun = recovered.resumes
      #expect(begun.lineage == 1 && begun.transaction == 2)
      var request = VerifyRequest(logs: world.logs)
      request.after = TrustedPosition(transaction: 2, digest: begun.digest)
      let results = try verify(request)
      let result = try #require(results.first)
      #expect(results.count == 1 && result.lineage == 1)
      #expect(result.findings == [] && result.notices == [])
      #expect(result.from == begun && result.to == begun && result.end == .token)
      #expect(result.transactions == 0 && result.snapshotObjects == 0)
    }
  }

  @Test("A position is found in an earlier lineage if the logs of the last lineage are damaged.")
  func positionBeforeDamage() throws {
    try withCopy { world, recovered in
      let log = try #require(recovered.file)
      try cut(log, after: 0)
      var request = VerifyRequest(logs: world.logs)
      request.after = TrustedPosition(transaction: 1, digest: try world.point(1).digest)
      let results = try verify(request)
      #expect(results.map(\.lineage) == [0, 1])
      try #expect(results.first?.from == world.point(1))
      try #expect(results.first?.to == world.point(3))
      #expect(results.first?.findings == [])
      #expect(results.last?.findings.first?.path == log && results.last?.after == nil)
    }
  }
}
