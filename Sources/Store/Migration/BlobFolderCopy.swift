import FoundationEssentials

/// Links the files of large values beside a store's working copy.
///
/// They are never overwritten, so a link is as good as a copy: writers of the working copy remove
/// only their link.
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

  /// Links files that the stages added beside the store; requires the store's lock.
  ///
  /// A marker says that the store does not need them before it is replaced.
  func bringBack() throws {
    let added = try values(in: copy).subtracting(values(in: original))
    guard !added.isEmpty else { return }
    try original.create()
    marker = try original.mark()
    for name in added { try link(name, from: original, to: copy) }
    try original.sync()
  }

  /// Removes the files that the store no longer has; requires its lock.
  func finish(known: Set<String>) throws {
    if let marker { try original.remove(marker) }
    for name in linked.subtracting(try values(in: copy)).subtracting(known) {
      try original.remove(name)
    }
  }

  private func link(_ name: String, from new: BlobFolder, to old: BlobFolder) throws {
    try FileManager.default.linkItem(atPath: old.file(name), toPath: new.file(name))
  }

  /// The names of values, without markers and unfinished files.
  private func values(in folder: BlobFolder) throws -> Set<String> {
    Set(try folder.names().filter { !$0.hasPrefix(".") })
  }
}
