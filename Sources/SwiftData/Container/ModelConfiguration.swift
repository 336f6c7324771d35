import struct Store.Provenance

/// A type that describes where and how a group of models is stored.
///
/// ```swift
/// let onDisk = ModelConfiguration(url: URL(filePath: "/srv/trips.store"))
/// let forTests = ModelConfiguration(isStoredInMemoryOnly: true)
/// ```
public struct ModelConfiguration: DataStoreConfiguration, Identifiable, Hashable, Sendable {
  /// The store that the configuration is for.
  public typealias Store = DefaultStore

  /// Accepted, and without effect: there are no group containers here.
  public struct GroupContainer: Hashable, Sendable {
    let name: String?
    /// Whatever the program may use.
    public static let automatic = GroupContainer(name: nil)
    /// None.
    public static let none = GroupContainer(name: nil)
    /// The container of that name.
    public static func identifier(_ groupName: String) -> GroupContainer {
      GroupContainer(name: groupName)
    }
  }

  /// Accepted, and without effect: nothing is sent to CloudKit from here.
  public struct CloudKitDatabase: Hashable, Sendable {
    let name: String?
    /// Whatever the program may use.
    public static let automatic = CloudKitDatabase(name: nil)
    /// None.
    public static let none = CloudKitDatabase(name: nil)
    /// The private database of that name.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      CloudKitDatabase(name: privateDBName)
    }
  }

  /// What history keeps of an object that is deleted.
  public enum HistoryRetention: Hashable, Sendable {
    /// All values, and those that it had before.
    case full
    /// Only the values of attributes with `.preserveValueOnDeletion`; all others are erased, from
    /// earlier transactions too.
    case tombstones
  }

  /// The name of the configuration.
  public let name: String
  /// The models that it is for; nil for all models of the container that no other has.
  public var schema: Schema?
  /// The file of the store.
  public let url: URL
  /// False if the store may only be read.
  public let allowsSave: Bool
  /// Whether nothing is written to a disk.
  public let isStoredInMemoryOnly: Bool
  /// Accepted, and without effect.
  public let groupContainer: GroupContainer
  /// Accepted, and without effect.
  public let cloudKitDatabase: CloudKitDatabase

  /// How long a save waits for another process that writes to the same file.
  public var busyTimeout = Duration.seconds(10)
  /// What the history of the store keeps of deleted objects; nil, the default, for what the store
  /// was told before, which is everything for a new one.
  ///
  /// ```swift
  /// var configuration = ModelConfiguration()
  /// configuration.history = .tombstones
  /// ```
  public var history: HistoryRetention?
  /// How long transactions stay in history; nil, the default, for ever.
  ///
  /// Older ones are deleted when the store is opened and, once a minute at most, after a save.
  public var historyTimeToLive: Duration?
  /// The most pages that the file may have, so that tests can fill a disk.
  var maximumPageCount: Int?
  /// False for a store that need not survive a power cut before it is finished.
  package var isDurable = true
  /// Where the identity of the store, and the times and salts of its history come from.
  package var provenance = Provenance.system

  /// The identifier of the group container, if one was named.
  public var groupAppContainerIdentifier: String? { groupContainer.name }
  /// The identifier of the CloudKit container, if one was named.
  public var cloudKitContainerIdentifier: String? { cloudKitDatabase.name }
  /// The file that tells configurations apart.
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

  /// Describes a store in the program's own folder, or in memory.
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

  /// Describes a store in the program's own folder, or in memory.
  public init(isStoredInMemoryOnly: Bool) {
    self.init(inMemory: isStoredInMemoryOnly)
  }

  /// Describes the store of a file.
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

  /// Describes the store of a file, in the spelling of early releases.
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

  /// Describes a store of some models in the program's own folder, or in memory.
  @_disfavoredOverload
  public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(schema: types.isEmpty ? nil : Schema(types), inMemory: isStoredInMemoryOnly)
  }

  /// The folder of the program for data that it keeps, by the rules of desktops on Linux.
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

  /// Checks that the name can be the name of a file.
  public func validate() throws {
    if name.contains("/") || name.contains("\0") {
      throw SwiftDataError(.invalidFileName(name))
    }
    if url.lastPathComponent.utf8.count > 240 {
      throw SwiftDataError(.longFileName(bytes: url.lastPathComponent.utf8.count))
    }
  }

  /// Configurations are equal when they describe the same store in the same way.
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
  /// The name and the file.
  public var debugDescription: String {
    isStoredInMemoryOnly ? "\(name) (in memory)" : "\(name) (\(url.path))"
  }
}
