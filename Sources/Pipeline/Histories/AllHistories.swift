import ChangeLog

extension History {
  /// Opens every history that a text names.
  ///
  /// The path of a log folder names the histories of all lineages of all stores in the folder.
  ///
  /// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``.
  package static func all(_ text: String) throws -> [History] {
    let histories = try folderHistories(text)
    return histories.count > 1 ? histories : [try History(text)]
  }

  /// Opens the histories of a log folder that is named without a point.
  ///
  /// The result is empty if the text does not name a log folder, or names a point.
  private static func folderHistories(_ text: String) throws -> [History] {
    guard try kind(of: text) == .folder else { return [] }
    let place = LogPlace(text)
    guard !place.isPart, place.lineage == nil, place.folder.partial == nil else { return [] }
    let folder = place.folder
    let stores = try place.store.map { [$0] } ?? folder.stores()
    return try stores.flatMap { store in
      // A lineage whose only log is a snapshot has no transactions, so it is not listed.
      try folder.lineages(of: store)
        .filter { try !folder.files(of: store, lineage: $0).isEmpty }
        .map { lineage in
          try History(
            name: folder.lineageFolder(store, lineage: lineage),
            source: FolderHistory(folder, store: store, lineage: lineage),
            at: .head
          )
        }
    }
  }
}
