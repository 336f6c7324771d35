import Format

import struct Store.Provenance

/// A type that describes where and how a group of models is stored.
///
/// ```swift
/// let onDisk = ModelConfiguration(url: URL(filePath: "/srv/trips.store"))
/// let forTests = ModelConfiguration(isStoredInMemoryOnly: true)
/// ```
public struct ModelConfiguration: Identifiable, Hashable, Sendable {
  /// A group container, which has no effect: Linux does not have group containers.
  public struct GroupContainer: Hashable, Sendable {
    let name: String?
    /// The automatic choice of a group container, which has no effect.
    public static let automatic = GroupContainer(name: nil)
    /// The default: no group container.
    public static let none = GroupContainer(name: nil)
    /// A group container by name, which has no effect; `groupAppContainerIdentifier` returns the
    /// name.
    public static func identifier(_ groupName: String) -> GroupContainer {
      GroupContainer(name: groupName)
    }
  }

  /// A CloudKit database, which has no effect: SwiftData on Linux does not use CloudKit.
  public struct CloudKitDatabase: Hashable, Sendable {
    let name: String?
    /// The automatic choice of a database, which has no effect.
    public static let automatic = CloudKitDatabase(name: nil)
    /// No CloudKit database.
    ///
    /// No database; none of the choices sends data to CloudKit.
    public static let none = CloudKitDatabase(name: nil)
    /// A private database by name, which has no effect; `cloudKitContainerIdentifier` returns the
    /// name.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      CloudKitDatabase(name: privateDBName)
    }
  }

  /// The values of a deleted object that history keeps; `.full` unless a configuration sets it.
  public enum HistoryRetention: Hashable, Sendable {
    /// All values, including the values that earlier updates replaced.
    case full
    /// Only values of attributes with `.preserveValueOnDeletion`.
    ///
    /// All other values of the object are erased, also from earlier transactions.
    case tombstones
  }

  /// The name of the configuration; "default" if neither a name nor a file is given.
  public let name: String
  /// The models of the store; nil for all models of the container that are not in another
  /// configuration.
  public var schema: Schema?
  /// The file of the store; `/dev/null` if the store is only in memory.
  public let url: URL
  /// Whether the store accepts changes; if not, a save throws ``SwiftDataError/readOnly``.
  public let allowsSave: Bool
  /// Whether the store is only in memory; its objects are lost when the container is released.
  public let isStoredInMemoryOnly: Bool
  /// The group container that the initializer received; it has no effect.
  public let groupContainer: GroupContainer
  /// The CloudKit database that the initializer received; it has no effect.
  public let cloudKitDatabase: CloudKitDatabase

  /// How long a save waits for another process that writes to the file.
  ///
  /// After this time, the save throws.
  public var busyTimeout = Duration.seconds(10)
  /// The values of deleted objects that history keeps.
  ///
  /// Nil leaves the setting of the store unchanged; a new store has `.full`.
  ///
  /// ```swift
  /// var configuration = ModelConfiguration()
  /// configuration.history = .tombstones
  /// ```
  public var history: HistoryRetention?
  /// How long history keeps transactions; nil, the default, keeps them forever.
  ///
  /// Older transactions are deleted when the store is opened, and after saves, at most once a
  /// minute.
  public var historyTimeToLive: Duration?
  /// The maximum number of pages of the file; tests use it to simulate a full disk.
  var maximumPageCount: Int?
  /// Whether commits must survive a power cut; false while a store is still being built.
  package var isDurable = true
  /// The source of the store's identifier, and of the times and seeds in its history.
  package var provenance = Provenance.system

  /// The name of the group container; nil for `.automatic` and `.none`.
  public var groupAppContainerIdentifier: String? { groupContainer.name }
  /// The name of the private CloudKit database; nil for `.automatic` and `.none`.
  public var cloudKitContainerIdentifier: String? { cloudKitDatabase.name }
  /// The file of the store.
  ///
  /// Configurations in memory all have the same file.
  public var id: URL { url }

  private init(
    name: String? = nil,
    schema: Schema? = nil,
    url: URL? = nil,
    inMemory: Bool = false,
    allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    let chosen = name ?? url?.deletingPathExtension().lastPathComponent ?? "default"
    self.name = chosen
    self.schema = schema
    isStoredInMemoryOnly = inMemory
    self.allowsSave = allowsSave
    self.groupContainer = groupContainer
    self.cloudKitDatabase = cloudKitDatabase
    self.url =
      inMemory ? URL(fileURLWithPath: "/dev/null") : url ?? Self.defaultURL(named: chosen)
  }

  /// Describes a store in the program's data folder, or a store that is only in memory.
  ///
  /// The folder has the name of the program and is in `$XDG_DATA_HOME`, or in `~/.local/share` if
  /// that variable is not set.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.init(
      name: name,
      schema: schema,
      inMemory: isStoredInMemoryOnly,
      allowsSave: allowsSave,
      groupContainer: groupContainer,
      cloudKitDatabase: cloudKitDatabase
    )
  }

  /// Describes a store with the default name; see
  /// ``init(_:schema:isStoredInMemoryOnly:allowsSave:groupContainer:cloudKitDatabase:)``.
  public init(isStoredInMemoryOnly: Bool) {
    self.init(inMemory: isStoredInMemoryOnly)
  }

  /// Describes a store in a given file; opening the store creates missing folders.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    url: URL,
    allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.init(
      name: name,
      schema: schema,
      url: url,
      allowsSave: allowsSave,
      cloudKitDatabase: cloudKitDatabase
    )
  }

  /// Describes a store in a given file, with the parameters of an older version of Apple's
  /// SwiftData.
  ///
  /// The CloudKit container has no effect.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    url: URL,
    allowsSave: Bool = true,
    cloudKitContainerIdentifier: String
  ) {
    self.init(
      name: name,
      schema: schema,
      url: url,
      allowsSave: allowsSave,
      cloudKitDatabase: .private(cloudKitContainerIdentifier)
    )
  }

  /// Describes a store for the given models.
  ///
  /// Without models, the store is for all models of the container.
  @_disfavoredOverload
  public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(schema: types.isEmpty ? nil : Schema(types), inMemory: isStoredInMemoryOnly)
  }

  /// The folder for the program's data that the XDG base directory specification defines.
  private static func defaultURL(named name: String) -> URL {
    let environment = ProcessInfo.processInfo.environment
    let base =
      environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
      ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share")
    return
      base
      .appendingPathComponent(ProcessInfo.processInfo.processName)
      .appendingPathComponent(name + ".store")
  }

  /// Checks that the configuration's name and file name are valid names of files.
  ///
  /// - Throws: ``SwiftDataError/configurationFileNameContainsInvalidCharacters`` or
  /// ``SwiftDataError/configurationFileNameTooLong``.
  public func validate() throws {
    if name.contains("/") || name.contains("\0") {
      throw SwiftDataError(.configurationFileNameContainsInvalidCharacters) {
        "The configuration's name “\(name)” contains a slash or a NUL, which file names can't"
          + " contain."
          + "\nChoose another name, or give the configuration a url."
      }
    }
    let bytes = url.lastPathComponent.utf8.count
    if bytes > 240 {
      throw SwiftDataError(.configurationFileNameTooLong) {
        "The configuration's file name has \(bytes) bytes; at most 240 are allowed, because the"
          + " names of the files beside the store are longer.\nChoose a shorter name."
      }
    }
  }

  /// Whether the names, the files and the access are equal; schemas are not compared.
  public static func == (left: ModelConfiguration, right: ModelConfiguration) -> Bool {
    left.name == right.name && left.url == right.url && left.allowsSave == right.allowsSave
      && left.isStoredInMemoryOnly == right.isStoredInMemoryOnly
  }

  /// Hashes the name and the file.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(url)
  }
}

extension ModelConfiguration: CustomDebugStringConvertible {
  /// The name and the file, or "in memory".
  public var debugDescription: String {
    isStoredInMemoryOnly ? "\(name) (in memory)" : "\(name) (\(url.path))"
  }
}
