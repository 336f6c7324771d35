import ChangeLog
import Changes
import Testing

@testable import Pipeline

@Suite("Messages about logs")
struct WordingTests {
  @Test("A notice about transactions that are not exported counts them.")
  func unexported() {
    func message(_ count: Int64) -> String {
      Notice.isUnexported("a.store", count, after: 7).wording.message
    }
    let end = " after transaction 7, the last transaction in the logs: "
    #expect(
      message(1) == "a.store has 1 transaction\(end)it is not exported yet, or logs are missing."
    )
    #expect(
      message(2)
        == "a.store has 2 transactions\(end)they are not exported yet, or logs are missing."
    )
  }

  @Test("A notice about transactions before a snapshot names one or a range.")
  func beforeSnapshot() {
    func message(_ range: ClosedRange<Int64>) -> String {
      Notice.beginsWithSnapshot(range, of: "a.store", "logs").wording.message
    }
    let end = " in no log: logs begins with a later snapshot. “prune” keeps "
    #expect(message(4...4) == "Transaction 4 of a.store is\(end)it.")
    #expect(message(4...5) == "Transactions 4 to 5 of a.store are\(end)them.")
  }

  @Test("A notice about values that are not erased has the command that erases them.")
  func notErased() {
    func wording(_ count: Int, _ properties: [String]) -> Wording {
      Notice.isNotErased(count, by: 9, of: ObjectName("Guest", id: 5), properties, "logs").wording
    }
    let end = ", although transaction 9 says that they were erased."
    #expect(wording(1, []).message == "logs still has values in 1 transaction" + end)
    #expect(wording(2, []).message == "logs still has values in 2 transactions" + end)
    let command = "Run “travelog erase logs --entity Guest --id 5"
    #expect(wording(1, []).hint == command + "”.")
    #expect(wording(1, ["a", "b"]).hint == command + " --attribute a --attribute b”.")
  }

  @Test("A notice about two points names their lineages only if the lineages differ.")
  func points() {
    func point(_ lineage: Int64, _ transaction: Int64) -> HistoryPoint {
      HistoryPoint(lineage: lineage, transaction: transaction, digest: SHA256.digest(of: []))
    }
    func message(_ one: HistoryPoint, _ other: HistoryPoint) -> String {
      Notice.tokenWasBehind(one, other).wording.message
    }
    #expect(
      message(point(0, 3), point(0, 8))
        == "The token was at transaction 3, behind the logs, and has been rebuilt from the logs."
        + " The logs are complete up to transaction 8."
    )
    #expect(
      message(point(0, 3), point(1, 8))
        == "The token was at transaction 3 of lineage 0, behind the logs, and has been rebuilt from"
        + " the logs. The logs are complete up to transaction 8 of lineage 1."
    )
  }

  @Test("A finding about objects that differ counts them, or says where the object is.")
  func differences() {
    func message(_ reason: Finding.Reason) -> String {
      Finding(reason, path: "a.store", transaction: 7).wording.message
    }
    #expect(message(.moreRowsDiffer(1)) == "1 more object differs.")
    #expect(message(.moreRowsDiffer(2)) == "2 more objects differ.")
    func row(_ kind: ChangeKind) -> String {
      message(.rowDiffers(kind, object: "Trip 1", properties: #"["a"]"#, folder: "logs"))
    }
    #expect(row(.insert) == "Trip 1 is in a.store and not in the logs.")
    #expect(row(.delete) == "Trip 1 is in the logs and not in a.store.")
    #expect(row(.update) == #"Trip 1 has other values in a.store than in the logs: ["a"]."#)
    func snapshot(_ kind: ChangeKind) -> String {
      message(.snapshotDiffers(kind, object: "Trip 1", properties: #"["a"]"#))
    }
    #expect(snapshot(.insert) == "Trip 1 is in snapshot 7 and not in a replay of the logs.")
    #expect(snapshot(.delete) == "Trip 1 is in a replay of the logs and not in snapshot 7.")
    #expect(
      snapshot(.update)
        == #"Trip 1 has other values in snapshot 7 than in a replay of the logs: ["a"]."#
    )
  }

  @Test("An error about missing transactions names one or a range.")
  func missing() {
    func message(_ range: ClosedRange<Int64>) -> String {
      ChainFailure.missing(range, after: 3).at("a.ndjson.gz").message
    }
    let start = "The log a.ndjson.gz does not follow transaction 3: "
    #expect(message(4...4) == start + "transaction 4 is missing.")
    #expect(message(4...6) == start + "transactions 4 to 6 are missing.")
    func unlogged(_ range: ClosedRange<Int64>) -> String {
      PipelineError(.areUnlogged(range), store: "a.store", logs: "logs").message
    }
    let end = " in no log in logs, because the logs begin later. So no history of the store may be"
    #expect(unlogged(1...1) == "Transaction 1 of a.store is\(end) deleted.")
    #expect(unlogged(1...2) == "Transactions 1 to 2 of a.store are\(end) deleted.")
  }

  @Test("The error about a point inside a gap names the points before and at the end of the gap.")
  func gap() {
    let error = PipelineError(.isInGap(12, 10...15), logs: "logs")
    #expect(
      error.message
        == "Transaction 12 is inside a gap: the logs in logs record transactions 10 to 15 as one"
        + " transaction."
    )
    #expect(
      error.hint
        == "Name the transaction before the gap, 9, or the last transaction in the gap, 15."
    )
  }
}
