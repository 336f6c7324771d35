import Foundation

extension URL {
  /// Where programs keep their data: `$XDG_DATA_HOME`, or `~/.local/share`.
  public static var applicationSupportDirectory: URL { folder(.applicationSupportDirectory) }

  /// Where programs keep data that they can create again: `$XDG_CACHE_HOME`, or `~/.cache`.
  public static var cachesDirectory: URL { folder(.cachesDirectory) }

  /// The user's documents.
  public static var documentsDirectory: URL { folder(.documentDirectory) }

  /// The user's desktop.
  public static var desktopDirectory: URL { folder(.desktopDirectory) }

  /// The user's downloads.
  public static var downloadsDirectory: URL { folder(.downloadsDirectory) }

  /// The user's pictures.
  public static var picturesDirectory: URL { folder(.picturesDirectory) }

  /// The user's films.
  public static var moviesDirectory: URL { folder(.moviesDirectory) }

  /// The user's music.
  public static var musicDirectory: URL { folder(.musicDirectory) }

  /// What the user shares with other users.
  public static var sharedPublicDirectory: URL { folder(.sharedPublicDirectory) }

  /// Finds one of the system's folders, and makes it if asked to.
  public init(
    for directory: FileManager.SearchPathDirectory,
    in domain: FileManager.SearchPathDomainMask,
    appropriateFor url: URL? = nil,
    create shouldCreate: Bool = false
  ) throws {
    self = try FileManager.default.url(
      for: directory,
      in: domain,
      appropriateFor: url,
      create: shouldCreate
    )
  }

  private static func folder(_ directory: FileManager.SearchPathDirectory) -> URL {
    let found = FileManager.default.urls(for: directory, in: .userDomainMask).first
    return URL(filePath: (found ?? .homeDirectory).path, directoryHint: .isDirectory)
  }
}

extension FileManager {
  /// The folder that the programs of a group share: one of that name where programs keep their data.
  ///
  /// Linux has no such groups, so every identifier has a folder, which this creates.
  public func containerURL(forSecurityApplicationGroupIdentifier identifier: String) -> URL? {
    guard !identifier.isEmpty, !identifier.contains("/"), identifier != ".." else { return nil }
    let folder = URL.applicationSupportDirectory
      .appending(path: identifier, directoryHint: .isDirectory)
    do {
      try createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      return nil  // As on Apple's systems, nil means that there is no such folder to be had.
    }
    return folder
  }
}
