import ChangeLog
import CommandLineKit
import Pipeline

/// A transaction, or one change of a transaction.
struct ProvenPlace: Hashable {
  let transaction: Int64
  var change: Int64?

  /// Reads a text such as `121` or `121.4`.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int64($0) }
    guard numbers.count == parts.count, parts.count <= 2, numbers.allSatisfy({ $0 >= 0 }) else {
      return nil
    }
    transaction = numbers[0]
    change = numbers.count > 1 ? numbers[1] : nil
  }
}

extension Travelog {
  static let provenPlace = Parameter<ProvenPlace>.positional(
    "TRANSACTION",
    type: ValueType(
      placeholder: "TXN[.CHANGE]",
      forms: "a transaction, such as 121, or one of its changes, such as 121.4"
    ) { ProvenPlace($0) },
    help: "A transaction, such as 121, or one of its changes, such as 121.4."
  )

  static let proveCommand = Command(
    "prove",
    summary: "Proves one transaction or one change to people who do not have the logs.",
    discussion:
      "The proof is a text file with two parts. The first part contains the line of the change, if "
      + "you name a change, and the line that closes the transaction. The second part, after an "
      + "empty line, has the format of c2sp.org/tlog-proof. It contains the checkpoint of the "
      + "lineage, and hashes from which a reader computes the root in the checkpoint. “travelog "
      + "verify --proof” checks the file without logs. Changes are numbered from 0, like `seq` in "
      + "the logs. A proof stays valid after values are erased.",
    examples: [
      "travelog prove logs 121.4 > change.proof": "Prove one change.",
      "travelog verify --proof change.proof --key public.pem":
        "Verify the proof; no logs are needed.",
    ],
    parameters: [logs, provenPlace, origin],
    exitCodes: [.unreadable, .missing, .locked]
  ) { call in
    let given = call.arguments
    let place = try call.wholeLogs(given[logs])
    var request = ProveRequest(
      logs: place.folder,
      transaction: given[provenPlace].transaction,
      change: given[provenPlace].change
    )
    request.store = given[origin] ?? place.store
    request.lineage = place.lineage
    let text = try prove(request).text
    if given[json] {
      try call.answer(ProveAnswer(proof: text))
    } else {
      try call.output.write(text)
    }
    return .success
  }
}

/// The answer of `travelog prove --json`.
private struct ProveAnswer: Encodable {
  var schema = 1
  var type = "prove"
  let proof: String
}
