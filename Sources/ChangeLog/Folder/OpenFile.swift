import Format
import Glibc

/// Opens a regular file of a log folder, by default for reading; does not wait for a pipe, and does
/// not follow a link.
///
/// Logs may come from an unknown person. Reading a pipe might never end, and a link could name a
/// file outside the folder.
///
/// - Throws: ``LogError`` with ``LogError/Code/damaged`` if the path is not a regular file.
func openFile(_ path: String, flags: Int32 = O_RDONLY) throws(LogError) -> Int32 {
  let descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
  guard descriptor >= 0 else {
    switch errno {
    case ELOOP: throw notAFile(path, kind: .link)
    case ENXIO: throw notAFile(path, kind: .socket)
    case EISDIR: throw notAFile(path, kind: .folder)
    default: throw diskError("open", path: path)
    }
  }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else {
    defer { close(descriptor) }
    throw diskError("open", path: path)
  }
  let kind = FileKind(mode: status.st_mode)
  guard kind == .file else {
    close(descriptor)
    throw notAFile(path, kind: kind)
  }
  return descriptor
}

/// Throws if a path in a log folder is a link, a pipe, a device or a socket.
///
/// Programs that write to the folder of a tree call this function first, because a link could name
/// a folder outside the log folder.
package func checkIsNotSpecial(_ path: String) throws(LogError) {
  var status = stat()
  guard lstat(path, &status) == 0 else { return }
  let kind = FileKind(mode: status.st_mode)
  if kind.isSpecial { throw notAFile(path, kind: kind) }
}

func notAFile(_ path: String, kind: FileKind) -> LogError {
  LogError(.damaged, path) {
    "\(path) is \(kind.words), not a file, and was not read."
      + "\nName a log or a log folder. If this is inside a log folder, remove it, or copy the file from"
      + " the original log folder."
  }
}

/// The path of the file that a person named, after following links.
package func withoutLinks(_ path: String) -> String {
  guard let real = realpath(path, nil) else { return path }
  defer { free(real) }
  return String(cString: real)
}

struct FolderEntry: Hashable {
  var name: String
  var kind: FileKind
}

/// The names in a folder; empty if the folder does not exist, or if the path is a link.
func entries(in folder: String, follows: Bool = false) throws(LogError) -> [FolderEntry] {
  let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW)
  let descriptor = open(folder, flags)
  guard descriptor >= 0 else {
    if errno == ENOENT || !follows && (errno == ENOTDIR || errno == ELOOP) { return [] }
    throw diskError("read", path: folder)
  }
  guard let handle = fdopendir(descriptor) else {
    defer { close(descriptor) }
    throw diskError("read", path: folder)
  }
  defer { closedir(handle) }
  var result: [FolderEntry] = []
  errno = 0
  while let entry = readdir(handle) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != ".", name != ".." {
      // Some file systems do not return the kind of a file together with its name.
      var mode = mode_t(entry.pointee.d_type) << 12
      var status = stat()
      if mode == 0, fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
        mode = status.st_mode
      }
      result.append(FolderEntry(name: name, kind: FileKind(mode: mode)))
    }
    errno = 0
  }
  guard errno == 0 else { throw diskError("read", path: folder) }
  return result.sorted { $0.name < $1.name }
}
