import ChangeLog
import Changes
import Pipeline

/// Lists the files of some histories with their digests, up to a maximum number, and counts the
/// other files.
func auditedFiles(of histories: [History]) throws -> (listed: [AuditedFile], others: Int) {
  let limit = 200
  var paths: [(path: String, isLog: Bool)] = []
  for history in histories {
    let outline = history.outline
    guard history.source is FolderHistory else {
      paths.append((outline.path, history.source is LogHistory))
      continue
    }
    let folder = LogPlace(outline.path).folder
    let files = try folder.files(of: outline.store, lineage: outline.lineage)
    paths += files.map { ($0.path, true) }
  }
  let listed = try paths.prefix(limit).map { path, isLog in
    // Only logs are opened here. If this process opened and closed the file of a store, it would
    // lose the locks that SQLite holds on the file.
    AuditedFile(
      path: path,
      size: size(of: path),
      sha256: isLog ? try fileDigest(path).description : nil
    )
  }
  return (listed, max(0, paths.count - limit))
}
