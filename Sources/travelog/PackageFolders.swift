import FoundationEssentials

/// The folders that help texts and errors mention, either installed with this program or in a
/// checkout.
enum PackageFolders {
  static let documentation = installed("share/doc/travelog/docs") ?? "docs"

  /// The path of a folder in the installation of this program; nil if the folder does not exist.
  private static func installed(_ folder: String) -> String? {
    let files = FileManager.default
    // If /proc is not mounted, the texts mention the folders of a checkout.
    guard let program = try? files.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
      return nil
    }
    let prefix = URL(fileURLWithPath: program).deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = prefix.appendingPathComponent(folder).path
    return files.fileExists(atPath: path) ? path : nil
  }
}
