extension LogReader {
  /// Adds the lines that are read to a file, except those of transactions up to `after`.
  package func write(to file: ArrowFile, after: Int64?, isSnapshot: Bool) throws {
    try file.begin()
    let place = LineColumns.Place(
      store: Array(header.store.utf8),
      partial: header.partial.isEmpty ? [] : Array(LogFolder.partialName(header.partial).utf8),
      lineage: header.lineage,
      schema: Array(schemaDigest.utf8),
      previous: isSnapshot ? Array(header.previous.description.utf8) : nil,
      after: after
    )
    arrow = (file, place)
  }

  func writeToArrow(_ line: UnsafeRawBufferPointer) throws {
    guard let (file, place) = arrow else { return }
    try accepted { () throws(Refusal) in try file.append(line, at: place) }
    try file.writeFullBatch()
  }
}
