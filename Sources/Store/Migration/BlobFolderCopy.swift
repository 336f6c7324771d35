import FoundationEssentials

/// Links a store's blob files to the folder of its working copy.
///
/// Blob files are never overwritten, so links are enough. If the working copy deletes a file, only
/// the link is deleted.
final class BlobFolderCopy {
  private let original: BlobFolder
  private let copy: BlobFolder
  private var linked: Set<String> = []
  private var marker: String?

  init(from file: URL, to workingCopy: URL) {
    original = BlobFolder(besides: file.path(percentEncoded: false))
    copy = BlobFolder(besides: workingCopy.path(percentEncoded: false))
  }

  func make() throws {
    linked = try values(in: original)
    guard !linked.isEmpty else { return }
    try copy.create()
    for name in linked { try link(name, from: copy, to: original) }
  }

  /// Creates links in the store's folder to the blob files that the stages added.
  ///
  /// The caller must have the store's lock.
  ///
  /// Until the store is replaced, a marker shows that the store does not need the new files yet.
  func bringBack() throws {
    let added = try values(in: copy).subtracting(values(in: original))
    guard !added.isEmpty else { return }
    try original.create()
    marker = try original.mark()
    for name in added { try link(name, from: original, to: copy) }
    try original.sync()
  }

  /// Removes the blob files that the store no longer needs.
  ///
  /// The caller must have the store's lock.
  func finish(known: Set<String>) throws {
    if let marker { try original.remove(marker) }
    for name in linked.subtracting(try values(in: copy)).subtracting(known) {
      try original.remove(name)
    }
  }

  private func link(_ name: String, from new: BlobFolder, to old: BlobFolder) throws {
    try FileManager.default.linkItem(atPath: old.file(name), toPath: new.file(name))
  }

  /// The names of blob files, without markers and unfinished files.
  private func values(in folder: BlobFolder) throws -> Set<String> {
    Set(try folder.names().filter { !$0.hasPrefix(".") })
  }
}
