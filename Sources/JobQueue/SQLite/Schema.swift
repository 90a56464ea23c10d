// Schema: the tables, as a list of migrations. A released migration is never changed; new ones are appended, and an older
// database is migrated at the next start. It moves no data by itself.
internal import Media

/// The versions of the tables, as migrations from an empty file.
enum Schema {
    /// One SQL script per version; the first makes version 1 of an empty file.
    static let steps: [String] = [
        """
        CREATE TABLE jobs (
            id              INTEGER PRIMARY KEY AUTOINCREMENT,
            user            INTEGER NOT NULL,
            key             TEXT,
            state           TEXT    NOT NULL,
            request         TEXT    NOT NULL,
            source_device   INTEGER NOT NULL,
            source_inode    INTEGER NOT NULL,
            source_size     INTEGER NOT NULL,
            source_modified INTEGER NOT NULL,
            attempts        INTEGER NOT NULL DEFAULT 0,
            interruptions   INTEGER NOT NULL DEFAULT 0,
            daemon          TEXT,
            boot            TEXT,
            worker_pid      INTEGER,
            worker_start    INTEGER,
            output_device   INTEGER,
            output_inode    INTEGER,
            output_name     TEXT,
            result          TEXT,
            error           TEXT,
            created         INTEGER NOT NULL,
            started         INTEGER,
            ended           INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX jobs_by_key ON jobs (user, key) WHERE key IS NOT NULL;
        CREATE INDEX jobs_by_state ON jobs (state, id);
        CREATE INDEX jobs_by_user ON jobs (user, id);
        """,
        // Priorities, transient failures, events, and totals that persist after their jobs are removed.
        """
        ALTER TABLE jobs ADD COLUMN priority INTEGER NOT NULL DEFAULT 50;
        ALTER TABLE jobs ADD COLUMN crashes  INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE jobs ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE jobs ADD COLUMN due      INTEGER;
        CREATE INDEX jobs_ready ON jobs (priority, user, id) WHERE state = 'waiting' AND due IS NULL;
        CREATE INDEX jobs_due ON jobs (due) WHERE due IS NOT NULL;
        CREATE INDEX jobs_ended ON jobs (ended, id) WHERE ended IS NOT NULL;
        CREATE TABLE events (
            id    INTEGER PRIMARY KEY AUTOINCREMENT,
            job   INTEGER NOT NULL,
            user  INTEGER NOT NULL,
            at    INTEGER NOT NULL,
            event TEXT    NOT NULL,
            code  TEXT
        ) STRICT;
        CREATE TABLE totals (
            event  TEXT    NOT NULL,
            preset TEXT    NOT NULL,
            render TEXT    NOT NULL,
            code   TEXT    NOT NULL,
            jobs   INTEGER NOT NULL,
            media  INTEGER NOT NULL,
            work   INTEGER NOT NULL,
            bytes  INTEGER NOT NULL,
            PRIMARY KEY (event, preset, render, code)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE open_jobs (user INTEGER PRIMARY KEY, jobs INTEGER NOT NULL) STRICT;
        INSERT INTO open_jobs SELECT user, count(*) FROM jobs WHERE ended IS NULL GROUP BY user;
        CREATE TRIGGER job_accepted AFTER INSERT ON jobs BEGIN
            INSERT INTO open_jobs VALUES (new.user, 1) ON CONFLICT DO UPDATE SET jobs = jobs + 1;
        END;
        CREATE TRIGGER job_ended AFTER UPDATE OF ended ON jobs WHEN old.ended IS NULL AND new.ended IS NOT NULL BEGIN
            UPDATE open_jobs SET jobs = jobs - 1 WHERE user = new.user;
        END;
        CREATE TRIGGER job_opened AFTER UPDATE OF ended ON jobs WHEN old.ended IS NOT NULL AND new.ended IS NULL BEGIN
            INSERT INTO open_jobs VALUES (new.user, 1) ON CONFLICT DO UPDATE SET jobs = jobs + 1;
        END;
        CREATE TABLE switches (name TEXT PRIMARY KEY, is_on INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        """,
        // A device number is valid for one boot only.
        "ALTER TABLE jobs ADD COLUMN source_boot TEXT",
        // The name reserved for an unfinished job's output; and an index of events by user.
        """
        ALTER TABLE jobs ADD COLUMN reserved TEXT;
        CREATE INDEX jobs_by_name ON jobs (reserved) WHERE reserved IS NOT NULL AND ended IS NULL;
        CREATE INDEX events_by_user ON events (user, id);
        """,
        // When each user had their last turn, counted in claims.
        "CREATE TABLE turns (user INTEGER PRIMARY KEY, turn INTEGER NOT NULL) STRICT",
        // Jobs that run only after others, or not before a moment; and running jobs that are paused. `dependencies` has those
        // that are not completed yet, `jobs.blockers` their number.
        """
        ALTER TABLE jobs ADD COLUMN after_jobs TEXT;
        ALTER TABLE jobs ADD COLUMN not_before INTEGER;
        ALTER TABLE jobs ADD COLUMN blockers   INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE jobs ADD COLUMN paused     INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE dependencies (
            job   INTEGER NOT NULL,
            other INTEGER NOT NULL,
            PRIMARY KEY (job, other)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX dependencies_by_other ON dependencies (other, job);
        CREATE TRIGGER job_completed AFTER UPDATE OF state ON jobs WHEN new.state = 'completed' BEGIN
            UPDATE jobs SET blockers = blockers - 1 WHERE id IN (SELECT job FROM dependencies WHERE other = new.id);
            DELETE FROM dependencies WHERE other = new.id;
        END;
        CREATE TRIGGER job_deleted AFTER DELETE ON jobs BEGIN
            DELETE FROM dependencies WHERE job = old.id;
        END;
        DROP INDEX jobs_ready;
        CREATE INDEX jobs_ready ON jobs (priority, user, id) WHERE state = 'waiting' AND due IS NULL AND blockers = 0;
        """,
        // Exports that are made in units, until their jobs end; what their progress was, in millionths; and how many units there
        // were. `planned` is NULL where it is as `unit`, and where the unit was `added` to the plan. Nothing uses `unit_bytes`.
        """
        ALTER TABLE jobs ADD COLUMN unit_plan     TEXT;
        ALTER TABLE jobs ADD COLUMN fingerprint   TEXT;
        ALTER TABLE jobs ADD COLUMN unit_bytes    INTEGER;
        ALTER TABLE jobs ADD COLUMN unit_total    INTEGER;
        ALTER TABLE jobs ADD COLUMN unit_done     INTEGER;
        ALTER TABLE jobs ADD COLUMN unit_kept     INTEGER;
        ALTER TABLE jobs ADD COLUMN unit_progress INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE units (
            job      INTEGER NOT NULL,
            number   INTEGER NOT NULL,
            kind     TEXT    NOT NULL,
            state    TEXT    NOT NULL,
            unit     TEXT    NOT NULL,
            planned  TEXT,
            added    INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            crashes  INTEGER NOT NULL,
            failures INTEGER NOT NULL,
            error    TEXT,
            due      INTEGER,
            boot     TEXT,
            device   INTEGER,
            inode    INTEGER,
            size     INTEGER,
            modified INTEGER,
            report   TEXT,
            started  INTEGER,
            ended    INTEGER,
            worker_pid   INTEGER,
            worker_start INTEGER,
            worker_boot  TEXT,
            PRIMARY KEY (job, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER job_units_ended AFTER UPDATE OF ended ON jobs WHEN new.ended IS NOT NULL BEGIN
            DELETE FROM units WHERE job = new.id;
            UPDATE jobs SET unit_plan = NULL, fingerprint = NULL WHERE id = new.id;
        END;
        CREATE TRIGGER job_units_deleted AFTER DELETE ON jobs BEGIN
            DELETE FROM units WHERE job = old.id;
        END;
        """,
        // Units have owners; changes of units are numbered within their job. `asked` is a request to the owner of a running job.
        """
        ALTER TABLE jobs  ADD COLUMN asked TEXT;
        ALTER TABLE jobs  ADD COLUMN unit_changes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE units ADD COLUMN owner  TEXT;
        ALTER TABLE units ADD COLUMN claim  INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE units ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
        UPDATE units SET state = 'pending' WHERE state = 'waiting' AND unit LIKE '%"isPending":true%';
        """,
        // The needs of jobs of the node: those whose needs are `unmet` count that as one of their blockers. And the hashes of the ends
        // of a source and of a unit's file, where nodes share the queue.
        """
        ALTER TABLE jobs ADD COLUMN needs TEXT NOT NULL DEFAULT '';
        ALTER TABLE jobs ADD COLUMN unmet INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE jobs ADD COLUMN source_digest TEXT;
        ALTER TABLE units ADD COLUMN digest TEXT;
        CREATE INDEX jobs_by_needs ON jobs (id) WHERE needs <> '' AND ended IS NULL;
        """,
    ]

    /// The version this program reads and writes.
    static var current: Int { steps.count }

    /// The error for tables that are newer than this program.
    static func newer(_ place: String, version: Int, known: Int, remedy: String) -> MediaError {
        MediaError(
            .operationNotSupported,
            "\(place): the queue was written by a newer trimd (version \(version) of its tables; "
                + "this one knows \(known))",
            remedy: "install that trimd again, or \(remedy)")
    }
}

extension Database {
    /// Migrates the tables to the current version, each step in a transaction; throws for a newer version.
    func migrate(steps: [String] = Schema.steps) throws {
        let version = Int(try integer("PRAGMA user_version") ?? 0)
        guard version <= steps.count else {
            throw Schema.newer(
                file, version: version, known: steps.count, remedy: "give this one another --state")
        }
        for (done, step) in steps.enumerated().dropFirst(version) {
            try transaction {
                try execute(step)
                try execute("PRAGMA user_version = \(done + 1)")
            }
        }
    }
}
