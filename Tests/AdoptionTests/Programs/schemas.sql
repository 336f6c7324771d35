-- A collection of schemas in the shapes of applications. A line "-- schema: NAME" begins each one.
-- schema: chat
CREATE TABLE users(id INTEGER PRIMARY KEY, handle TEXT NOT NULL UNIQUE COLLATE NOCASE, joined TEXT DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE rooms(id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, owner INTEGER REFERENCES users(id) ON DELETE SET NULL);
CREATE TABLE messages(id INTEGER PRIMARY KEY, room INTEGER NOT NULL REFERENCES rooms(id) ON DELETE CASCADE, author INTEGER REFERENCES users(id) ON DELETE CASCADE, body TEXT, edited INT);
CREATE INDEX messages_room ON messages(room, id);
-- schema: shop
CREATE TABLE product(sku TEXT PRIMARY KEY NOT NULL, name TEXT, price NUMERIC, stock INT CHECK (stock IS NULL OR stock > -1000000));
CREATE TABLE orders(number INTEGER PRIMARY KEY, placed REAL, email TEXT);
CREATE TABLE order_line(number INTEGER REFERENCES orders(number) ON DELETE CASCADE, position INTEGER, sku TEXT REFERENCES product(sku) ON UPDATE CASCADE, quantity INT, PRIMARY KEY (number, position)) WITHOUT ROWID;
-- schema: photo library
CREATE TABLE asset(uuid BLOB PRIMARY KEY, path TEXT UNIQUE, width INT, height INT, taken REAL, favorite BOOLEAN DEFAULT 0);
CREATE TABLE album(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE album_asset(album INT, asset BLOB, rank REAL, UNIQUE(album, asset) ON CONFLICT REPLACE);
CREATE VIEW favorites AS SELECT path FROM asset WHERE favorite;
-- schema: browser history
CREATE TABLE moz_places(id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, visit_count INTEGER DEFAULT 0, hidden INTEGER DEFAULT 0 NOT NULL, guid TEXT, url_hash INTEGER DEFAULT 0 NOT NULL);
CREATE TABLE moz_historyvisits(id INTEGER PRIMARY KEY, from_visit INTEGER, place_id INTEGER, visit_date INTEGER, visit_type INTEGER);
CREATE UNIQUE INDEX moz_places_guid_uniqueindex ON moz_places(guid);
CREATE TRIGGER visits_after_insert AFTER INSERT ON moz_historyvisits BEGIN UPDATE moz_places SET visit_count = visit_count + 1 WHERE id = NEW.place_id; END;
CREATE TRIGGER visits_after_delete AFTER DELETE ON moz_historyvisits BEGIN UPDATE moz_places SET visit_count = visit_count - 1 WHERE id = OLD.place_id; END;
-- schema: django auth
CREATE TABLE "auth_user" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "password" varchar(128) NOT NULL, "last_login" datetime NULL, "is_superuser" bool NOT NULL, "username" varchar(150) NOT NULL UNIQUE, "date_joined" datetime NOT NULL);
CREATE TABLE "auth_group" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(150) NOT NULL UNIQUE);
CREATE TABLE "auth_user_groups" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "group_id" integer NOT NULL REFERENCES "auth_group" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE UNIQUE INDEX "auth_user_groups_user_id_group_id_94350c0c_uniq" ON "auth_user_groups" ("user_id", "group_id");
-- schema: django sessions
CREATE TABLE "django_session" ("session_key" varchar(40) NOT NULL PRIMARY KEY, "session_data" text NOT NULL, "expire_date" datetime NOT NULL);
CREATE INDEX "django_session_expire_date_a5c62663" ON "django_session" ("expire_date");
CREATE TABLE "django_migrations" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "app" varchar(255) NOT NULL, "name" varchar(255) NOT NULL, "applied" datetime NOT NULL);
-- schema: rails blog
CREATE TABLE "schema_migrations" ("version" varchar NOT NULL PRIMARY KEY);
CREATE TABLE "ar_internal_metadata" ("key" varchar NOT NULL PRIMARY KEY, "value" varchar, "created_at" datetime(6) NOT NULL);
CREATE TABLE "posts" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "title" varchar, "body" text, "published_at" datetime(6), "lock_version" integer DEFAULT 0);
CREATE TABLE "comments" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "post_id" integer NOT NULL, "body" text, CONSTRAINT "fk_rails_1" FOREIGN KEY ("post_id") REFERENCES "posts" ("id"));
CREATE INDEX "index_comments_on_post_id" ON "comments" ("post_id");
-- schema: wordpress
CREATE TABLE "wp_posts" ("ID" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "post_author" integer NOT NULL DEFAULT '0', "post_title" text NOT NULL COLLATE NOCASE, "post_status" text NOT NULL DEFAULT 'publish' COLLATE NOCASE, "post_name" text NOT NULL DEFAULT '' COLLATE NOCASE);
CREATE TABLE "wp_options" ("option_id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "option_name" text NOT NULL DEFAULT '' COLLATE NOCASE, "option_value" text NOT NULL, "autoload" text NOT NULL DEFAULT 'yes');
CREATE UNIQUE INDEX "wp_options__option_name" ON "wp_options" ("option_name");
CREATE TABLE "wp_postmeta" ("meta_id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "post_id" integer NOT NULL DEFAULT '0', "meta_key" text DEFAULT NULL COLLATE NOCASE, "meta_value" text);
-- schema: grafana
CREATE TABLE dashboard (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, version INTEGER NOT NULL, slug TEXT NOT NULL, title TEXT NOT NULL, data TEXT NOT NULL, org_id INTEGER NOT NULL, uid TEXT NULL);
CREATE UNIQUE INDEX UQE_dashboard_org_id_uid ON dashboard (org_id, uid);
CREATE TABLE star (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, user_id INTEGER NOT NULL, dashboard_id INTEGER NOT NULL);
CREATE UNIQUE INDEX UQE_star_user_id_dashboard_id ON star (user_id, dashboard_id);
-- schema: home assistant
CREATE TABLE states_meta (metadata_id INTEGER NOT NULL, entity_id VARCHAR(255), PRIMARY KEY (metadata_id));
CREATE UNIQUE INDEX ix_states_meta_entity_id ON states_meta (entity_id);
CREATE TABLE states (state_id INTEGER NOT NULL, state VARCHAR(255), last_updated_ts FLOAT, old_state_id INTEGER, metadata_id INTEGER, context_id_bin BLOB, PRIMARY KEY (state_id), FOREIGN KEY(old_state_id) REFERENCES states (state_id), FOREIGN KEY(metadata_id) REFERENCES states_meta (metadata_id));
-- schema: anki
CREATE TABLE notes (id integer primary key, guid text not null, mid integer not null, mod integer not null, tags text not null, flds text not null, sfld integer not null, csum integer not null);
CREATE TABLE cards (id integer primary key, nid integer not null, did integer not null, ord integer not null, due integer not null, ivl integer not null, factor integer not null);
CREATE TABLE revlog (id integer primary key, cid integer not null, ease integer not null, time integer not null);
CREATE TABLE graves (usn integer not null, oid integer not null, type integer not null);
CREATE TABLE config (KEY text not null primary key, usn integer not null, val blob not null) without rowid;
-- schema: ledger
CREATE TABLE account(code TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT CHECK (kind IN ('asset','debt','income','cost') OR kind IS NULL)) WITHOUT ROWID;
CREATE TABLE entry(id INTEGER PRIMARY KEY, booked TEXT, memo TEXT);
CREATE TABLE posting(entry INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE, line INTEGER NOT NULL, account TEXT NOT NULL, amount INTEGER NOT NULL, PRIMARY KEY(entry, line));
CREATE TABLE balance(account TEXT PRIMARY KEY, amount INTEGER NOT NULL DEFAULT 0);
CREATE TRIGGER posted AFTER INSERT ON posting BEGIN INSERT INTO balance VALUES (NEW.account, NEW.amount) ON CONFLICT(account) DO UPDATE SET amount = amount + NEW.amount; END;
-- schema: full-text notes
CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT, body TEXT);
CREATE VIRTUAL TABLE note_fts USING fts5(title, body, content='note', content_rowid='id');
CREATE TRIGGER note_ai AFTER INSERT ON note BEGIN INSERT INTO note_fts(rowid, title, body) VALUES (new.id, new.title, new.body); END;
CREATE TRIGGER note_ad AFTER DELETE ON note BEGIN INSERT INTO note_fts(note_fts, rowid, title, body) VALUES ('delete', old.id, old.title, old.body); END;
CREATE TRIGGER note_au AFTER UPDATE ON note BEGIN INSERT INTO note_fts(note_fts, rowid, title, body) VALUES ('delete', old.id, old.title, old.body); INSERT INTO note_fts(rowid, title, body) VALUES (new.id, new.title, new.body); END;
-- schema: full-text with its own content
CREATE VIRTUAL TABLE pages USING fts5(url, text);
CREATE TABLE crawl(url TEXT PRIMARY KEY, at REAL);
-- schema: queue without a key
CREATE TABLE jobs(queue TEXT, payload BLOB, run_at REAL, attempts INTEGER DEFAULT 0);
CREATE INDEX jobs_due ON jobs(queue, run_at);
-- schema: log without a key
CREATE TABLE log(at REAL DEFAULT (julianday('now')), level INT, text);
CREATE TABLE dead(log);
-- schema: nullable keys
CREATE TABLE tag(name TEXT PRIMARY KEY, color INT);
CREATE TABLE alias(source TEXT, target TEXT, note TEXT, PRIMARY KEY (source, target));
-- schema: key values
CREATE TABLE kv(key BLOB PRIMARY KEY NOT NULL, value) WITHOUT ROWID;
CREATE TABLE expiry(key BLOB NOT NULL UNIQUE, at INTEGER);
-- schema: any values
CREATE TABLE anything(id INTEGER PRIMARY KEY, a, b BLOB, c NUMERIC, d REAL, e TEXT, f INTEGER);
CREATE UNIQUE INDEX anything_a ON anything(a);
-- schema: generated columns
CREATE TABLE rectangle(id INTEGER PRIMARY KEY, w REAL, h REAL, area REAL GENERATED ALWAYS AS (w * h) STORED, label TEXT AS (coalesce(w, '') || 'x' || coalesce(h, '')) VIRTUAL);
CREATE TABLE person(first TEXT, last TEXT, name TEXT AS (first || ' ' || last) STORED UNIQUE, PRIMARY KEY (first, last));
-- schema: partial indexes
CREATE TABLE booking(id INTEGER PRIMARY KEY, room INT, day INT, cancelled INT DEFAULT 0);
CREATE UNIQUE INDEX one_booking ON booking(room, day) WHERE cancelled = 0;
CREATE TABLE default_card(user INT, card TEXT, is_default INT);
CREATE UNIQUE INDEX one_default ON default_card(user) WHERE is_default;
-- schema: expression indexes
CREATE TABLE login(id INTEGER PRIMARY KEY, mail TEXT, domain TEXT, age INT NOT NULL DEFAULT 3);
CREATE UNIQUE INDEX login_mail ON login(lower(mail));
CREATE UNIQUE INDEX login_pair ON login(domain || ':' || age DESC, substr(mail, 1, 3) COLLATE NOCASE) WHERE age > 2;
-- schema: defaults in unique columns
CREATE TABLE slot(id INTEGER PRIMARY KEY, place INT NOT NULL DEFAULT 4 UNIQUE, code TEXT NOT NULL DEFAULT ('c' || 1), note TEXT);
CREATE UNIQUE INDEX slot_code ON slot(code, note);
-- schema: conflict clauses
CREATE TABLE replacing(a INTEGER PRIMARY KEY ON CONFLICT REPLACE, b TEXT UNIQUE ON CONFLICT REPLACE, c INT UNIQUE ON CONFLICT IGNORE);
CREATE TABLE failing(a INT UNIQUE ON CONFLICT FAIL, b INT UNIQUE ON CONFLICT ROLLBACK, c INT NOT NULL ON CONFLICT REPLACE DEFAULT 5);
-- schema: collations
CREATE TABLE word(word TEXT PRIMARY KEY COLLATE NOCASE, count INT) WITHOUT ROWID;
CREATE TABLE trimmed(text TEXT COLLATE RTRIM UNIQUE, n INT);
-- schema: reserved names
CREATE TABLE "select"("from" INTEGER PRIMARY KEY, "where" TEXT, "a b" INT, "quo""te" TEXT, "order" INT UNIQUE);
CREATE TABLE "table with spaces"("é" TEXT, "key" INT, "value" INT, PRIMARY KEY("é", "key"));
CREATE TABLE [brackets](`group` INT, "rowid" TEXT);
-- schema: rowid names taken
CREATE TABLE taken(rowid TEXT, oid INT, x INT);
CREATE TABLE id_text(id TEXT, "before" TEXT, "after" TEXT, entity TEXT);
-- schema: strict tables
CREATE TABLE measure(id INTEGER PRIMARY KEY, at INT NOT NULL, value REAL, note ANY) STRICT;
CREATE TABLE setting(name TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
-- schema: self references
CREATE TABLE category(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES category(id) ON DELETE CASCADE ON UPDATE CASCADE, name TEXT);
CREATE TABLE friend(a INT, b INT, PRIMARY KEY(a, b), CHECK (a IS NOT b OR a IS NULL));
-- schema: cascades
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE address(id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer ON DELETE CASCADE, city TEXT);
CREATE TABLE delivery(id INTEGER PRIMARY KEY, address INTEGER REFERENCES address ON DELETE SET NULL ON UPDATE SET DEFAULT, at INT);
-- schema: audit triggers of its own
CREATE TABLE salary(employee TEXT PRIMARY KEY, amount INT);
CREATE TABLE salary_audit(at TEXT, employee TEXT, old INT, new INT);
CREATE TRIGGER salary_u AFTER UPDATE ON salary BEGIN INSERT INTO salary_audit VALUES (1, NEW.employee, OLD.amount, NEW.amount); END;
CREATE TRIGGER salary_i BEFORE INSERT ON salary WHEN NEW.amount < 0 BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER salary_d BEFORE DELETE ON salary WHEN OLD.amount = 7 BEGIN SELECT RAISE(ABORT, 'kept'); END;
-- schema: views with triggers
CREATE TABLE base(id INTEGER PRIMARY KEY, a INT, b TEXT);
CREATE VIEW shown AS SELECT id, a FROM base WHERE b IS NOT NULL;
CREATE TRIGGER shown_insert INSTEAD OF INSERT ON shown BEGIN INSERT INTO base VALUES (NEW.id, NEW.a, 'via'); END;
-- schema: counters
CREATE TABLE counter(name TEXT PRIMARY KEY NOT NULL, n INTEGER NOT NULL DEFAULT 0);
CREATE TABLE hit(at INTEGER, name TEXT);
CREATE TRIGGER count AFTER INSERT ON hit BEGIN INSERT OR REPLACE INTO counter VALUES (coalesce(NEW.name, ''), coalesce((SELECT n FROM counter WHERE name = NEW.name), 0) + 1); END;
-- schema: mail
CREATE TABLE mailbox(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE message(uid INTEGER, mailbox INTEGER, flags INTEGER DEFAULT 0, raw BLOB, PRIMARY KEY (mailbox, uid)) WITHOUT ROWID;
-- schema: contacts
CREATE TABLE contact(_id INTEGER PRIMARY KEY AUTOINCREMENT, display_name TEXT, starred INTEGER NOT NULL DEFAULT 0);
CREATE TABLE phone(_id INTEGER PRIMARY KEY AUTOINCREMENT, contact_id INTEGER REFERENCES contact(_id) ON DELETE CASCADE, number TEXT, UNIQUE(contact_id, number));
CREATE TABLE android_metadata (locale TEXT);
-- schema: room database
CREATE TABLE IF NOT EXISTS `Word` (`word` TEXT NOT NULL, `rank` INTEGER NOT NULL, PRIMARY KEY(`word`));
CREATE TABLE IF NOT EXISTS room_master_table (id INTEGER PRIMARY KEY, identity_hash TEXT);
INSERT OR REPLACE INTO room_master_table (id, identity_hash) VALUES (42, 'd751713988987e9331980363e24189ce');
-- schema: core data shape
CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSTART TIMESTAMP, ZNAME VARCHAR);
CREATE TABLE Z_1TAGS (Z_1TRIPS INTEGER, Z_2TAGS INTEGER, PRIMARY KEY (Z_1TRIPS, Z_2TAGS));
-- schema: key with every type
CREATE TABLE mixed(k PRIMARY KEY NOT NULL, v) WITHOUT ROWID;
CREATE TABLE mixed_null(k PRIMARY KEY, v);
-- schema: real key
CREATE TABLE sample(t REAL PRIMARY KEY NOT NULL, v REAL);
CREATE TABLE numeric_key(n NUMERIC PRIMARY KEY NOT NULL, v TEXT) WITHOUT ROWID;
-- schema: descending key
CREATE TABLE latest(at INTEGER PRIMARY KEY DESC, v TEXT);
CREATE TABLE ranked(a INT, b TEXT, PRIMARY KEY(b DESC, a)) WITHOUT ROWID;
-- schema: one column
CREATE TABLE single(x);
CREATE TABLE single_key(x INTEGER PRIMARY KEY);
CREATE TABLE single_text(x TEXT PRIMARY KEY) WITHOUT ROWID;
-- schema: todo
CREATE TABLE list(id TEXT PRIMARY KEY NOT NULL, title TEXT, position INTEGER UNIQUE);
CREATE TABLE item(id TEXT PRIMARY KEY NOT NULL, list TEXT NOT NULL REFERENCES list(id) ON DELETE CASCADE, done INT DEFAULT 0, title TEXT, position INT, UNIQUE(list, position));
-- schema: inventory
CREATE TABLE bin(code TEXT NOT NULL, level INT NOT NULL, item TEXT, PRIMARY KEY(code, level));
CREATE TABLE move(id INTEGER PRIMARY KEY, from_code TEXT, to_code TEXT, at TEXT);
-- schema: music
CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE track(id INTEGER PRIMARY KEY, artist INT REFERENCES artist, title TEXT, length INT, plays INT DEFAULT 0);
CREATE TABLE playlist_track(playlist INT, position INT, track INT, PRIMARY KEY(playlist, position));
-- schema: map tiles
CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);
CREATE UNIQUE INDEX tile_index on tiles (zoom_level, tile_column, tile_row);
CREATE TABLE metadata (name text, value text);
-- schema: feed reader
CREATE TABLE feed(id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, etag TEXT);
CREATE TABLE article(feed INT REFERENCES feed ON DELETE CASCADE, guid TEXT, title TEXT, read INT DEFAULT 0, PRIMARY KEY (feed, guid) ON CONFLICT REPLACE);
-- schema: passwords
CREATE TABLE vault(id BLOB PRIMARY KEY NOT NULL, secret BLOB NOT NULL, updated INTEGER);
CREATE TABLE vault_history(id BLOB, secret BLOB, at INTEGER);
CREATE TRIGGER vault_u BEFORE UPDATE OF secret ON vault BEGIN INSERT INTO vault_history VALUES (OLD.id, OLD.secret, OLD.updated); END;
-- schema: sensor
CREATE TABLE sensor(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE reading(sensor INTEGER NOT NULL, at INTEGER NOT NULL, value REAL, PRIMARY KEY(sensor, at)) WITHOUT ROWID;
-- schema: voting
CREATE TABLE poll(id INTEGER PRIMARY KEY, question TEXT);
CREATE TABLE vote(poll INT, voter TEXT, choice INT, UNIQUE(poll, voter) ON CONFLICT REPLACE);
CREATE INDEX vote_choice ON vote(poll, choice);
-- schema: calendar
CREATE TABLE event(uid TEXT PRIMARY KEY, dtstart TEXT, dtend TEXT, rrule TEXT, sequence INT DEFAULT 0);
CREATE TABLE attendee(uid TEXT REFERENCES event(uid) ON UPDATE CASCADE ON DELETE CASCADE, mail TEXT, status TEXT, PRIMARY KEY(uid, mail));
-- schema: git shape
CREATE TABLE object(id BLOB PRIMARY KEY, kind INT, data BLOB) WITHOUT ROWID;
CREATE TABLE ref(name TEXT PRIMARY KEY NOT NULL, id BLOB);
-- schema: cache
CREATE TABLE cache_entries (cache_key TEXT NOT NULL UNIQUE, value BLOB, expires INTEGER, hits INTEGER DEFAULT 0);
-- schema: permissions
CREATE TABLE role(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE grants(role INTEGER REFERENCES role ON DELETE CASCADE, resource TEXT, action TEXT, PRIMARY KEY (role, resource, action)) WITHOUT ROWID;
-- schema: translations
CREATE TABLE string(key TEXT, locale TEXT COLLATE NOCASE, value TEXT, PRIMARY KEY(key, locale)) WITHOUT ROWID;
-- schema: prisma
CREATE TABLE "User" ("id" TEXT NOT NULL PRIMARY KEY, "email" TEXT NOT NULL, "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE UNIQUE INDEX "User_email_key" ON "User"("email");
CREATE TABLE "_PostToTag" ("A" TEXT NOT NULL, "B" TEXT NOT NULL);
CREATE UNIQUE INDEX "_PostToTag_AB_unique" ON "_PostToTag"("A", "B");
CREATE INDEX "_PostToTag_B_index" ON "_PostToTag"("B");
-- schema: alembic
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));
CREATE TABLE invoice (id INTEGER NOT NULL, total NUMERIC(10, 2), paid BOOLEAN, PRIMARY KEY (id), CHECK (paid IN (0, 1) OR paid IS NULL));
-- schema: grdb
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, score INTEGER NOT NULL, team TEXT COLLATE NOCASE);
-- schema: two unique columns
CREATE TABLE badge(id INTEGER PRIMARY KEY, number INT UNIQUE, holder TEXT UNIQUE, valid INT);
-- schema: wide keys
CREATE TABLE cube(a INT, b INT, c INT, d INT, v REAL, PRIMARY KEY(a, b, c, d)) WITHOUT ROWID;
CREATE TABLE cube_text(a TEXT, b TEXT, c TEXT, d TEXT, v TEXT, PRIMARY KEY(d, c, b, a));
-- schema: names that differ in case
CREATE TABLE Upper(Name TEXT PRIMARY KEY, value INT);
CREATE TABLE lower(name INT, VALUE TEXT, Value2 INT);
-- schema: games
CREATE TABLE save_slot(slot INTEGER PRIMARY KEY CHECK (slot BETWEEN -100000 AND 100000), state BLOB, at REAL);
CREATE TABLE achievement(player TEXT, name TEXT, at REAL, UNIQUE(name, player));
