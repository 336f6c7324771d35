import AppleFiles
import Foundation
import SQLite

/// A store in Apple's layout with the model ``FileModel/music``.
///
/// The statements are written out, so that the tests do not repeat the rules of the reader.
struct Fixture {
  enum HistoryLayout: CaseIterable {
    /// Texts in the rows of transactions, as in macOS 10.13.
    case inline
    /// Texts in a table of their own.
    case interned
  }

  var layout = HistoryLayout.interned
  /// The compressed archive of the model; nil for a store without one.
  var cache: [UInt8]? = deflated(FileModel.music.archive())
  /// Statements that change the store afterwards.
  var changes = ""

  static let uuid = "8F2C1F6E-3C0A-4B53-9A6B-0D6A7F8C1E11"

  /// Creates the store in memory.
  func open() throws -> Connection {
    let connection = try Connection(path: "", mode: .memory)
    try connection.execute(Self.tables + Self.rows)
    try connection.execute(layout == .inline ? Self.inlineHistory : Self.internedHistory)
    try connection.execute(Self.history)
    let list: Plist = .dictionary([
      ("NSStoreType", .text("SQLite")), ("NSPersistenceFrameworkVersion", .integer(1414)),
      ("NSStoreModelVersionIdentifiers", .array([.text("2.1.0")])),
      ("NSStoreModelVersionHashes", .dictionary([("Item", .data([1, 2, 3]))])),
      ("NSStoreModelVersionHashesDigest", .text("digest==")),
      ("NSPersistentHistoryTrackingKey", .bool(true)),
    ])
    let metadata = try connection.prepare("INSERT INTO Z_METADATA VALUES (1, ?1, ?2)")
    try metadata.bind(1, Self.uuid)
    try metadata.bind(2, Data(list.bytes))
    try metadata.run()
    if let cache {
      let insert = try connection.prepare("INSERT INTO Z_MODELCACHE VALUES (?1)")
      try insert.bind(1, Data(cache))
      try insert.run()
    }
    let aliases = ArchiveBuilder()
    let texts = aliases.list([aliases.text("Björk"), aliases.text("B")])
    let update = try connection.prepare("UPDATE ZPERSON SET ZALIASES = ?1 WHERE Z_PK = 1")
    try update.bind(1, Data(aliases.bytes(root: texts)))
    try update.run()
    try connection.execute(changes)
    return connection
  }

  private static let tables = """
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
      Z_MAX INTEGER);
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Item', 0, 5), (2, 'Album', 1, 0), (3, 'Song', 1, 0),
      (4, 'Note', 0, 2), (5, 'Passport', 0, 1), (6, 'Person', 0, 2),
      (16001, 'CHANGE', 0, 7), (16002, 'TRANSACTION', 0, 5);
    CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZRATING INTEGER,
      ZALBUM INTEGER, Z_FOK_ALBUM INTEGER, ZISLOUD INTEGER, ZRATING1 INTEGER, ZCREATEDAT TIMESTAMP,
      ZPRICE DECIMAL, ZNAME VARCHAR, ZID BLOB, ZLYRICS BLOB);
    CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZZIP INTEGER,
      ZFAVORITE INTEGER, Z1_FAVORITE INTEGER, ZPASSPORT INTEGER, ZHEIGHT FLOAT, ZSINCE TIMESTAMP,
      ZSTREET VARCHAR, ZNEAR VARCHAR, ZFAR VARCHAR, ZMOOD VARCHAR, ZSTREET1 VARCHAR,
      ZHOMEPAGE VARCHAR, ZTAGS BLOB, ZALIASES BLOB, ZCOLOR BLOB);
    CREATE TABLE ZPASSPORT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER,
      ZNUMBER VARCHAR);
    CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPOSITION INTEGER,
      Z6NOTES INTEGER, ZTEXT VARCHAR);
    CREATE TABLE Z_3PEOPLE (Z_3SONGS INTEGER, Z_6PEOPLE INTEGER,
      PRIMARY KEY (Z_3SONGS, Z_6PEOPLE));
    """

  /// The file of the external value of song 4.
  static let external = "0B1C2D3E-4F50-6172-8394-A5B6C7D8E9F0"

  private static let rows = """
    INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZRATING, ZPRICE, ZCREATEDAT)
      VALUES (1, 2, 1, 'Debut', 5, 9.99, 700000000.5);
    INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZRATING1, ZALBUM, Z_FOK_ALBUM, ZISLOUD, ZID,
      ZLYRICS)
      VALUES (3, 3, 2, 'Human Behaviour', 4, 1, 1024, 1, x'00112233445566778899AABBCCDDEEFF',
        x'0148692E'), (4, 3, 1, 'Crying', NULL, 1, 2048, 0, NULL,
        CAST(x'02' || CAST('\(external)' AS BLOB) || x'00' AS BLOB));
    INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZSTREET, ZZIP, ZTAGS, ZSTREET1, ZSINCE, ZMOOD, ZFAR,
      ZFAVORITE, Z1_FAVORITE, ZPASSPORT, ZHEIGHT, ZHOMEPAGE, ZCOLOR)
      VALUES (1, 6, 1, 'Main', 101, CAST('["b", "a"]' AS BLOB), 'Side', 5.0, 'happy', 'far',
        3, 3, 1, 1.5, 'https://bjork.com', x'62706C'),
      (2, 6, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 2, NULL, NULL, NULL, NULL);
    INSERT INTO ZPASSPORT VALUES (1, 5, 1, 1, 'A 1');
    INSERT INTO ZNOTE VALUES (1, 4, 1, 7, 1, 'first'), (2, 4, 1, 8, NULL, NULL);
    INSERT INTO Z_3PEOPLE VALUES (3, 1), (3, 2), (4, 2);
    """

  private static let migrator =
    "com.apple.coredata.schemamigrator: lightweight migration from model with digest { old== }"

  private static let internedHistory = """
    CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
      ZNAME VARCHAR);
    INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'org.example.music'),
      (2, 16003, NULL, 'Music'), (3, 16003, NULL, 'sync'), (4, 16003, NULL, 'background'),
      (5, 16003, NULL, '\(migrator)');
    CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
      ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER,
      ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR,
      ZPROCESSID VARCHAR, ZQUERYGEN BLOB);
    INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS,
      ZTIMESTAMP) VALUES (2, 16002, NULL, 1, NULL, 2, 700000001.25), (3, 16002, 5, 1, NULL, 2,
      700000002), (5, 16002, 3, 1, 4, 2, 700000003);
    """

  private static let inlineHistory = """
    CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
      ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR,
      ZPROCESSID VARCHAR, ZQUERYGEN BLOB);
    INSERT INTO ATRANSACTION VALUES
      (2, 16002, NULL, 700000001.25, NULL, 'org.example.music', NULL, 'Music', NULL),
      (3, 16002, NULL, 700000002, '\(migrator)', 'org.example.music', NULL, 'Music', NULL),
      (5, 16002, NULL, 700000003, 'sync', 'org.example.music', 'background', 'Music', NULL);
    """

  private static let history = """
    CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
      ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER,
      ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, ZTOMBSTONE1 BLOB);
    CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
    INSERT INTO ACHANGE VALUES
      (3, 16001, NULL, 0, 2, 1, 2, NULL, NULL, NULL),
      (4, 16001, NULL, 0, 3, 3, 2, NULL, NULL, NULL),
      (5, 16001, NULL, 1, 3, 3, 5, x'8140', NULL, NULL),
      (6, 16001, NULL, 1, 6, 1, 5, x'0050', NULL, NULL),
      (7, 16001, NULL, 2, 3, 2, 5, NULL, x'00112233445566778899AABBCCDDEEFF', 1);
    """
}
