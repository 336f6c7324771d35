import ChangeLog
import CommandLineKit
import Pipeline

extension Travelog {
  static let signingKey = Parameter<String?>.optional(
    "key",
    type: .file,
    help: "Sign with this private key: Ed25519, PEM, without a password."
  )
  static let treeName = Parameter<String?>.optional(
    "origin",
    type: .text,
    placeholder: "NAME",
    help: "Give the tree a name; later checkpoints keep this name."
  )
  static let witnessedCheckpoint = Parameter<String?>.optional(
    "since",
    type: .file,
    placeholder: "CHECKPOINT",
    help: "Print a request to the witnesses that have signed this earlier checkpoint."
  )
  static let forStores = Parameter<Bool>.toggle(
    "stores",
    help: "Write one checkpoint for the trees of all stores."
  )

  static let checkpointCommand = Command(
    "checkpoint",
    summary: "Signs the hash trees of logs, so that others can verify proofs.",
    discussion:
      "`export` appends each transaction to a tree of hashes beside the logs. A checkpoint has "
      + "the name, the size and the root of that tree, in the format c2sp.org/tlog-checkpoint. If "
      + "files of the tree are missing, the command rebuilds the tree from the logs. The command "
      + "writes a new checkpoint only if the tree extends the existing checkpoint. Without --key, "
      + "the new checkpoint is not signed; another program can sign its text. “openssl genpkey "
      + "-algorithm ed25519” creates a key. With --stores, the command writes only one checkpoint, "
      + "which covers all stores. The tree of this checkpoint is in LOGS/_tree; the leaves of the "
      + "tree are the checkpoints of the lineages. With --since, the output is the request "
      + "“add-checkpoint” of c2sp.org/tlog-witness: it proves to a witness that the tree extends the "
      + "earlier checkpoint.",
    examples: [
      "travelog checkpoint logs --key key.pem": "Sign the tree of each lineage.",
      "travelog checkpoint logs --key key.pem --since old.checkpoint":
        "Sign the tree, and print the request that a witness wants.",
      "travelog checkpoint logs --stores --key key.pem": "Sign one tree over all stores.",
    ],
    parameters: [logs, signingKey, treeName, witnessedCheckpoint, forStores, lockWait],
    files: [
      "LOGS/store=UUID/lineage=N/_tree/checkpoint": "The checkpoint of a lineage.",
      "LOGS/store=UUID/lineage=N/_tree/tile": "The tree, in the format of c2sp.org/tlog-tiles.",
      "LOGS/_tree/checkpoint": "The checkpoint of all stores.",
    ],
    exitCodes: [.unreadable, .missing, .locked, .interrupted, .terminated]
  ) { call in
    let given = call.arguments
    let place = try call.wholeLogs(given[logs])
    try checkHasLogs(place.folder)
    let lock = try FolderLock(
      place.folder,
      wait: given[lockWait],
      purpose: "travelog checkpoint"
    )
    defer { withExtendedLifetime(lock) {} }
    var request = CheckpointRequest(logs: place.folder)
    request.store = place.store
    request.lineage = place.lineage
    request.key = try given[signingKey].map { try readPrivateKey($0) }
    request.origin = given[treeName]
    request.since = given[witnessedCheckpoint]
    request.isForStores = given[forStores]
    for result in try writeCheckpoints(request) {
      if given[json] {
        try call.answer(Joined(first: TypeHead(type: "checkpoint"), second: result))
      } else if !given[quiet] {
        try call.output.write(result.request ?? result.note)
      }
    }
    return .success
  }
}

extension Call {
  /// The log folder that a path names, with the store and the lineage if the path names them too.
  func wholeLogs(_ path: String) throws -> LogPlace {
    let place = LogPlace(path)
    guard !place.isPart, place.folder.partial == nil else {
      throw notWhole(path, of: place)
    }
    return place
  }
}
