import ChangeLog
import Pipeline

/// Lists the files of some histories with their digests, up to a maximum number, and counts the
/// other files.
func auditedFiles(of histories: [History]) throws -> (listed: [AuditedFile], others: Int) {
  let limit = 200
  let files = try histories.flatMap { try $0.source.files() }
  let listed = try files.prefix(limit).map { file in
    AuditedFile(
      path: file.path,
      size: size(of: file.path),
      sha256: file.isDigestible ? try fileDigest(file.path).description : nil
    )
  }
  return (listed, max(0, files.count - limit))
}
