import Foundation

/// A text file of the package, with its path from the package's root.
struct PackageFile {
  let path: String
  let lines: [Substring]
}

/// The root folder of the package, found from the path of this file.
let packageRoot = URL(filePath: #filePath)
  .deletingLastPathComponent()
  .deletingLastPathComponent()
  .deletingLastPathComponent()

/// The names of the files in a folder of the package; empty if the folder is missing.
func names(in folder: String) throws -> [String] {
  let url = packageRoot.appending(path: folder)
  guard FileManager.default.fileExists(atPath: url.path) else { return [] }
  return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
}

/// All text files under a folder of the package ("" is the root), except build products.
func files(under folder: String) throws -> [PackageFile] {
  var found: [PackageFile] = []
  for name in try names(in: folder) where !name.hasPrefix(".build") && name != ".git" {
    let path = folder.isEmpty ? name : folder + "/" + name
    let url = packageRoot.appending(path: path)
    let isFolder = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory
    if isFolder == true {
      found += try files(under: path)
    } else if let text = String(bytes: try Data(contentsOf: url), encoding: .utf8) {
      found.append(
        PackageFile(
          path: path,
          lines: text.split(omittingEmptySubsequences: false) { $0.isNewline }
        )
      )
    }
  }
  return found
}

/// The Swift files under a folder of the package.
func swiftFiles(under folder: String) throws -> [PackageFile] {
  try files(under: folder).filter { $0.path.hasSuffix(".swift") }
}

extension PackageFile {
  /// The numbered lines that are not just a comment.
  var code: [(number: Int, text: Substring)] {
    lines.enumerated()
      .map { (number: $0.offset + 1, text: $0.element) }
      .filter { !$0.text.drop { $0.isWhitespace }.hasPrefix("//") }
  }
}
