import FoundationEssentials

/// The files of large values beside a store, linked beside its working copy.
///
/// They are named by their digests and never written again, so that a second name is as good as a
/// copy: what the working copy's writers remove loses that name only.
final class BlobFolderCopy {
  private let original: BlobFolder
  private let copy: BlobFolder
  private var linked: Set<String> = []
  private var marker: String?

  init(from file: URL, to workingCopy: URL) {
    original = BlobFolder(besides: file.path(percentEncoded: false))
    copy = BlobFolder(besides: workingCopy.path(percentEncoded: false))
  }

  /// Links all files beside the copy.
  func make() throws {
    linked = try values(in: original)
    guard !linked.isEmpty else { return }
    try copy.create()
    for name in linked { try link(name, from: copy, to: original) }
  }

  /// Links what the stages added beside the store; called with the store's lock held.
  ///
  /// Until the copy has taken the store's place nothing needs these files, which a marker says.
  func bringBack() throws {
    let added = try values(in: copy).subtracting(values(in: original))
    guard !added.isEmpty else { return }
    try original.create()
    marker = try original.mark()
    for name in added { try link(name, from: original, to: copy) }
    try original.sync()
  }

  /// Removes what the stages removed and the store no longer knows; called with its lock held.
  func finish(known: Set<String>) throws {
    if let marker { try original.remove(marker) }
    for name in linked.subtracting(try values(in: copy)).subtracting(known) {
      try original.remove(name)
    }
  }

  private func link(_ name: String, from new: BlobFolder, to old: BlobFolder) throws {
    try FileManager.default.linkItem(atPath: old.file(name), toPath: new.file(name))
  }

  /// The names of values, without those of markers and of files that are being written.
  private func values(in folder: BlobFolder) throws -> Set<String> {
    Set(try folder.names().filter { !$0.hasPrefix(".") })
  }
}
