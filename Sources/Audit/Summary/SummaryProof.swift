import ChangeLog
import Format
import Pipeline

extension Summary {
  /// Verifies the logs of a folder.
  ///
  /// The verification also reads the changes of all histories for the report.
  func verify(_ folder: LogFolder, tick: Tick) throws {
    var verifying = VerifyRequest(logs: folder)
    let stores = Set(histories.map(\.outline.store))
    if stores.count == 1 { verifying.store = stores.first }
    (verifying.heads, verifying.checkpoints) = (request.heads, request.checkpoints)
    verifying.against = request.against
    let results = try Pipeline.verify(verifying, observer: self, tick: tick)
    for result in results where result.filterName == nil { note(result) }
  }

  private func note(_ result: Verification) {
    let index = histories.firstIndex {
      $0.outline.store == result.store && $0.outline.lineage == result.lineage
    }
    // If damage can't be assigned to a store, the damage is added to the findings of the first
    // history.
    guard let index = index ?? (result.store.isEmpty ? 0 : nil) else { return }
    for finding in result.findings {
      findings.add(
        .damage,
        value: finding.description,
        transaction: finding.transaction,
        history: index
      )
    }
    entries[index].note(result)
  }

  /// Reads a history that is not the unfiltered logs of a folder, and verifies it.
  func read(_ index: Int, tick: Tick) throws {
    let history = histories[index]
    begin(index)
    var chain = history.hasDigests ? StoreChain(history.outline, request: request) : nil
    if chain == nil { entries[index].isEndConfirmed = false }
    do {
      if let range = history.range { try scan(range, of: index, chain: &chain, tick: tick) }
    } catch let error as LogError where ![.inputOutput, .notPermitted].contains(error.code) {
      return noteDamage(error, index: index)
    }
    try prove(index, chain: chain, tick: tick)
  }

  private func scan(
    _ range: ClosedRange<Int64>,
    of index: Int,
    chain: inout StoreChain?,
    tick: Tick
  ) throws {
    var progress = Progress(total: Int64(range.count))
    try histories[index].source.read(
      range,
      wants: open,
      change: { change, opening in
        try progress.countChange(tick)
        chain?.take(change, transaction: opening)
        take(change)
      },
      transaction: { transaction in
        try progress.countTransaction(tick)
        if let damage = chain?.close(transaction) {
          findings.add(
            .damage,
            value: damage,
            transaction: transaction.id,
            by: Touch(transaction),
            history: index
          )
        }
        close(transaction)
      }
    )
  }

  private func noteDamage(_ error: LogError, index: Int) {
    findings.add(.damage, value: error.message, transaction: error.transaction, history: index)
    entries[index].verdict = Verdict.damaged.rawValue
    entries[index].statements.append(
      "The history could be read only up to transaction \(entries[index].lastTransaction ?? 0): "
        + error.message
    )
  }

  private func prove(_ index: Int, chain: StoreChain?, tick: Tick) throws {
    let outline = histories[index].outline
    switch histories[index].source.proof {
    case .digests:
      guard let chain else { break }
      entries[index].head = chain.last
      entries[index].digest = chain.digest?.description
      entries[index].provenTransaction = chain.proven
      for head in chain.missing {
        findings.add(
          .damage,
          value: "No transaction up to \(chain.last) has the digest \(head), which was given.",
          history: index
        )
      }
      for checkpoint in request.checkpoints where !chain.checkpoints.found.contains(checkpoint) {
        findings.add(
          .damage,
          value: "The transactions up to \(chain.last) are not those of the checkpoint of size"
            + " \(checkpoint.head.count), which was given.",
          history: index
        )
      }
      let sound = chain.proven == nil ? Verdict.sound : .proven
      entries[index].verdict = (findings.has(.damage, in: index) ? Verdict.damaged : sound).rawValue
      entries[index].statements = [
        chain.statement,
        chain.proven.map { sentence("\(provenText(upTo: $0)) \(Proof.head.text)") }
          ?? "Anyone who can write to the store can forge its history and digests. To find a forgery,"
          + " give the report a digest that was noted elsewhere: --head DIGEST.",
      ]
    case .log(let verify):
      entries[index].head = outline.head
      // Until now, only a part of the log was read, from the nearest position in the members file
      // to the requested end. Now the whole log is verified.
      do {
        try verify()
      } catch let error as LogError where ![.inputOutput, .notPermitted].contains(error.code) {
        return noteDamage(error, index: index)
      }
      entries[index].verdict = Verdict.sound.rawValue
      entries[index].statements.append(
        "The log was read completely, and every digest in the log is correct. Only a digest"
          + " from the previous log shows whether a log is missing before this log."
      )
    case .folder:
      entries[index].head = outline.head
      var verifying = VerifyRequest(logs: LogFolder(outline.path))
      verifying.store = outline.store
      verifying.includesFiltered = true
      for result in try Pipeline.verify(verifying, tick: tick)
      where result.filterName != nil && result.lineage == outline.lineage { note(result) }
    case .none(let reason):
      entries[index].statements.append("The history can't be verified. \(reason)")
    }
  }
}

extension AuditedHistory {
  fileprivate mutating func note(_ result: Verification) {
    verdict = result.verdict.rawValue
    head = result.to.transaction
    digest = result.to.digest.description
    isPartlyUnproven = result.isUnproven
    provenTransaction = result.verdict == .proven ? result.proven?.transaction : nil
    isEndConfirmed = result.end != .none
    unexported = result.unexported
    statements.append(
      "Every digest was recomputed from \(countText(result.files, noun: "log")): transactions"
        + " \(result.from.transaction + 1) to \(result.to.transaction) of lineage"
        + " \(result.lineage) are"
        + (result.findings.isEmpty && result.except.isEmpty
          ? " unaltered."
          : " sound\(result.findings.isEmpty ? "." : "; the findings say what else is wrong.")")
    )
    if let proven = result.proven?.transaction, let proof = result.proof {
      statements.append(sentence("\(provenText(upTo: proven)) \(proof.text)"))
    }
    statements += result.except.map { "Except: \($0.description)." }
    statements.append(sentence(result.endText))
    statements += result.notices.map(\.description)
  }
}

/// The words of a verdict as a sentence.
func sentence(_ words: String) -> String { capitalized(words) + "." }

func capitalized(_ words: String) -> String { words.prefix(1).uppercased() + words.dropFirst() }
