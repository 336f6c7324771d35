import Glibc

package enum FileKind: Hashable, Sendable {
  case file, folder, link, pipe, device, socket

  init(mode: mode_t) {
    self =
      switch mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      default: .device
      }
  }

  /// Whether the kind has no place in a log folder.
  package var isSpecial: Bool { self != .file && self != .folder }

  /// The kind in words, with an article.
  var words: String {
    switch self {
    case .file: "a file"
    case .folder: "a folder"
    case .link: "a symbolic link"
    case .pipe: "a pipe"
    case .device: "a device"
    case .socket: "a socket"
    }
  }
}
