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

  @Test("The error about a misplaced log says which filter the log has, if it has one.")
  func misplaced() {
    func message(_ partial: String) -> String {
      let header = LogHeader(
        store: "S",
        lineage: 2,
        first: 7,
        previous: SHA256.digest(of: []),
        schema: StoreSchema(version: "1", entities: []),
        partial: partial
      )
      return ChainFailure.misplaced(header).at("a.ndjson.gz").message
    }
    let start =
      "The log a.ndjson.gz is in the wrong folder or has the wrong name: it begins with transaction"
      + " 7 of lineage 2 of the store S"
    #expect(message("") == start + ".")
    #expect(message("without Trip") == start + " and is filtered (without Trip).")
  }

  private func wording(_ reason: PipelineError.Reason) -> Wording {
    PipelineError(reason, store: "a.store", logs: "logs", log: "a.log").wording
  }

  @Test("The errors about missing logs list the logs that exist, or name the command for logs.")
  func otherLogs() {
    let name = "Name the folder that you gave to “travelog export --to”."
    #expect(wording(.noLogsOfStore("S", others: [])).hint == name)
    #expect(
      wording(.noLogsOfStore("S", others: ["T", "U"])).hint == "There are logs of T, U."
    )
    #expect(wording(.noLogsOfLineage(3, of: "S", others: [])).hint == name)
    let lineages = wording(.noLogsOfLineage(3, of: "S", others: [0, 1]))
    #expect(lineages.message == "There are no logs of lineage 3 of the store S in logs.")
    #expect(lineages.hint == "There are logs of lineage 0, lineage 1.")
    let several = wording(.severalStores(["S", "T"], choice: .path))
    #expect(several.message == "There are logs of 2 stores in logs.")
    #expect(several.hint == "Name one folder: logs/store=S, logs/store=T.")
  }

  @Test("The error about a point before the history names its points and other sources.")
  func beforeHistory() {
    func words(
      _ point: Point = .transaction(3),
      head: Int64 = 9,
      time: String? = nil,
      isStore: Bool = false,
      earlier: String? = nil
    ) -> Wording {
      let beginning = PipelineError.Beginning(
        base: 8,
        head: head,
        time: time,
        isStore: isStore,
        earlier: earlier
      )
      return wording(.beforeHistory(point, beginning))
    }
    let end = " is before the history of logs, which begins after transaction 8"
    #expect(words().message == "Transaction 3\(end).")
    #expect(words(.time("t")).message == "The time t\(end).")
    #expect(words(time: "u").message == "Transaction 3\(end), at u.")
    let range = "Name a transaction from 8 to 9, or a later time."
    #expect(words().hint == range)
    #expect(words(head: 8).hint == "There is no transaction after transaction 8 yet.")
    #expect(
      words(isStore: true).hint
        == range + " Only logs can show earlier states: travelog diff LOGS@3 logs"
    )
    #expect(
      words(earlier: "l").hint
        == range + " The logs of the previous lineage show earlier states: l"
    )
  }

  @Test("The errors about lineages of a replica say what is known about the lineages.")
  func lineages() {
    let start = "The replica a.store needs the logs of lineage 2. "
    #expect(
      wording(.isOlderLineage(1, replica: 2, isNamed: true)).message
        == start + "The named logs have lineage 1."
    )
    #expect(
      wording(.isOlderLineage(1, replica: 2, isNamed: false)).message
        == start + "The logs in logs end with lineage 1."
    )
    let hint = "To create a new replica, name a file that does not exist yet."
    #expect(wording(.isNewLineage(3, replica: 2, folder: nil)).hint == hint)
    #expect(
      wording(.isNewLineage(3, replica: 2, folder: "f")).hint
        == hint + " To stay in lineage 2, name f."
    )
    func past(_ point: Point) -> Wording { wording(.isPast(point, head: 9)) }
    let later = "The replica a.store is at transaction 9, which is later than "
    let end = ", and an import never removes transactions."
    #expect(past(.transaction(4)).message == later + "transaction 4" + end)
    #expect(past(.time("t")).message == later + "t" + end)
    #expect(past(.time("t")).hint.hasSuffix("--into new.store --until t"))
  }

  @Test("The error about a missing snapshot names the end of the import, unless it is the head.")
  func missingSnapshot() {
    let start =
      "The logs in logs begin with transaction 6, and there is no snapshot of the state before this"
      + " transaction"
    #expect(wording(.hasNoSnapshot(first: 6, until: .head)).message == start + ".")
    #expect(
      wording(.hasNoSnapshot(first: 6, until: .transaction(5))).message == start + " and before 5."
    )
  }

  @Test("The errors about tokens and lost logs name the lineage and the command that helps.")
  func tokens() {
    let point = HistoryPoint(lineage: 1, transaction: 9, digest: SHA256.digest(of: []))
    func ahead(_ lineage: Int64) -> String {
      wording(.tokenIsAhead(point, lineage: lineage, end: 4)).message
    }
    let start =
      "Logs are missing: the token says that a.store was exported up to transaction 9, but the logs"
      + " in logs end at transaction 4"
    #expect(ahead(1) == start + ".")
    #expect(ahead(0) == start + " of lineage 0.")
    let whole =
      "To start a new set of logs in logs, run “travelog export a.store --to logs --new-folder”."
    let filtered =
      "To start a new set of logs in logs, export with the same filter and --new-folder."
    #expect(wording(.tokenHasNoLogs(point)).hint.hasSuffix(whole))
    for isFiltered in [false, true] {
      let command = isFiltered ? filtered : whole
      let damaged = PipelineError.Reason.tokenIsDamaged(
        "t",
        CancellationError(),
        isFiltered: isFiltered
      )
      #expect(wording(damaged).hint == "Name the folder with the logs. \(command)")
      let before = wording(.wasExportedBefore(isFiltered: isFiltered))
      #expect(
        before.message
          == "logs has no \(isFiltered ? "logs with this filter" : "logs") of a.store, although the"
          + " store was exported before."
      )
      #expect(before.hint.hasSuffix("If it is, name the right folder. \(command)"))
    }
    let cause = StoreError(TokenFailure.unreadable("x"))
    #expect(
      wording(.isExpired(4, cause, filtered: nil)).hint
        == "Run “travelog recover a.store --to logs” to record the lost transactions as a gap."
    )
    #expect(
      wording(.isExpired(4, cause, filtered: "f")).hint == "Move f away. \(filtered)"
    )
  }

  @Test("The errors about checkpoints count the transactions and changes.")
  func checkpoints() {
    func wording(_ failure: CheckpointFailure) -> Wording {
      failure.at("a", transaction: 7).wording
    }
    func covered(_ count: Int64) -> String { wording(.isNotCovered(count: count)).message }
    let start = "Transaction 7 is after the checkpoint a, which covers "
    #expect(covered(0) == start + "0 transactions." && covered(1) == start + "1 transaction.")
    #expect(covered(2) == start + "2 transactions.")
    func changes(_ count: Int64) -> Wording { wording(.noChange(count: count)) }
    #expect(changes(0).message == "Transaction 7 has 0 changes, numbered from 0.")
    #expect(changes(1).message == "Transaction 7 has 1 change, numbered from 0.")
    #expect(changes(0).hint == "" && changes(1).hint == "The last is “7.0”.")
    #expect(changes(3).hint == "The last is “7.2”.")
    #expect(wording(.notAProof(.unsigned)).message == "a is not a proof.")
    #expect(
      wording(.notAProof(.malformed("it is empty"))).message == "a is not a proof: it is empty."
    )
  }
}
