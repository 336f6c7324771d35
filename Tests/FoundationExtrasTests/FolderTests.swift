import Foundation
import FoundationExtras
import Testing

@Suite("The user's folders")
struct FolderTests {
  @Test("Each of the user's folders is a separate folder with an absolute path.")
  func folders() {
    let folders: [URL] = [
      .applicationSupportDirectory, .cachesDirectory, .documentsDirectory, .desktopDirectory,
      .downloadsDirectory, .picturesDirectory, .moviesDirectory, .musicDirectory,
      .sharedPublicDirectory,
    ]
    for folder in folders {
      #expect(folder.isFileURL && folder.hasDirectoryPath && folder.path.hasPrefix("/"))
    }
    let store = URL.applicationSupportDirectory.appending(path: "default.store")
    #expect(store.lastPathComponent == "default.store")
  }

  @Test("The environment sets the folders of data and caches.")
  func environment() async {
    await #expect(processExitsWith: .success) {
      setenv("XDG_DATA_HOME", "/somewhere/data", 1)
      setenv("XDG_CACHE_HOME", "/somewhere/caches", 1)
      precondition(URL.applicationSupportDirectory.path == "/somewhere/data")
      precondition(URL.cachesDirectory.path == "/somewhere/caches")
    }
  }

  @Test("A folder is found by its kind, and created on request.")
  func folderByKind() async {
    await #expect(processExitsWith: .success) {
      let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      defer { try? FileManager.default.removeItem(at: home) }  // The system empties that folder.
      setenv("XDG_DATA_HOME", home.path, 1)
      let folder = try URL(for: .applicationSupportDirectory, in: .userDomainMask, create: true)
      precondition(FileManager.default.fileExists(atPath: folder.path))
    }
  }

  @Test("An app group has an existing folder; a name that leads out of it has none.")
  func groupFolder() async {
    await #expect(processExitsWith: .success) {
      let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      defer { try? FileManager.default.removeItem(at: home) }  // The system empties that folder.
      setenv("XDG_DATA_HOME", home.path, 1)
      let files = FileManager.default
      let folder = files.containerURL(forSecurityApplicationGroupIdentifier: "group.trips")
      precondition(folder?.path == home.path + "/group.trips")
      precondition(files.fileExists(atPath: home.path + "/group.trips"))
      precondition(files.containerURL(forSecurityApplicationGroupIdentifier: "") == nil)
      precondition(files.containerURL(forSecurityApplicationGroupIdentifier: "..") == nil)
      precondition(files.containerURL(forSecurityApplicationGroupIdentifier: "../x") == nil)
    }
  }
}
