import Foundation

extension URL {
  /// The folder for the data of programs: `$XDG_DATA_HOME`, or `~/.local/share` if the variable is
  /// not set.
  public static var applicationSupportDirectory: URL { folder(.applicationSupportDirectory) }

  /// The folder for data that programs can create again: `$XDG_CACHE_HOME`, or `~/.cache` if the
  /// variable is not set.
  public static var cachesDirectory: URL { folder(.cachesDirectory) }

  /// The user's documents: `~/Documents`, unless `user-dirs.dirs` names another folder.
  public static var documentsDirectory: URL { folder(.documentDirectory) }

  /// The user's desktop: `~/Desktop`, unless `user-dirs.dirs` names another folder.
  public static var desktopDirectory: URL { folder(.desktopDirectory) }

  /// The user's downloads: `~/Downloads`, unless `user-dirs.dirs` names another folder.
  public static var downloadsDirectory: URL { folder(.downloadsDirectory) }

  /// The user's pictures: `~/Pictures`, unless `user-dirs.dirs` names another folder.
  public static var picturesDirectory: URL { folder(.picturesDirectory) }

  /// The user's videos: `~/Videos`, unless `user-dirs.dirs` names another folder.
  public static var moviesDirectory: URL { folder(.moviesDirectory) }

  /// The user's music: `~/Music`, unless `user-dirs.dirs` names another folder.
  public static var musicDirectory: URL { folder(.musicDirectory) }

  /// The folder that the user shares with other users: `~/Public`, unless `user-dirs.dirs` names
  /// another folder.
  public static var sharedPublicDirectory: URL { folder(.sharedPublicDirectory) }

  /// Finds one of the system's folders, and creates it if requested.
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
  /// The folder that the programs of a group share: a folder with the group's name among the programs' data.
  ///
  /// Linux does not have such groups, so every identifier gets a folder, which this function creates.
  public func containerURL(forSecurityApplicationGroupIdentifier identifier: String) -> URL? {
    guard !identifier.isEmpty, !identifier.contains("/"), identifier != ".." else { return nil }
    let folder = URL.applicationSupportDirectory
      .appending(path: identifier, directoryHint: .isDirectory)
    do {
      try createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      return nil  // As on Apple's systems, nil means that the folder is not available.
    }
    return folder
  }
}
