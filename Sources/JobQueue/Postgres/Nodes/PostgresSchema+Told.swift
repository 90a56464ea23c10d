// The migration with which nodes tell each other of the jobs that they run: their logs, and how far they are.

extension PostgresSchema {
    /// The parts of a log follow each other without a gap: who adds one locks the log until its commit, so that whoever has read up to
    /// an offset misses nothing before it. Progress is of no use after a crash of the server, which empties its table.
    static let told = """
        ALTER TABLE nodes ADD COLUMN log BIGINT NOT NULL DEFAULT 0;
        CREATE TABLE logs (job BIGINT PRIMARY KEY, bytes BIGINT NOT NULL) WITH (fillfactor = 50);
        CREATE TABLE log_parts (
            job   BIGINT NOT NULL,
            start BIGINT NOT NULL,
            lines TEXT   NOT NULL,
            PRIMARY KEY (job, start)
        );
        CREATE UNLOGGED TABLE progress (
            job     BIGINT PRIMARY KEY,
            attempt BIGINT NOT NULL,
            owner   TEXT COLLATE "C" NOT NULL,
            at      BIGINT NOT NULL,
            report  TEXT   NOT NULL
        ) WITH (fillfactor = 50);
        CREATE FUNCTION attempt_ended() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            DELETE FROM progress WHERE job = NEW.id;
            RETURN NULL;
        END $$;
        CREATE TRIGGER attempt_ended AFTER UPDATE ON jobs FOR EACH ROW
            WHEN (OLD.state IN ('running', 'publishing') AND NEW.state NOT IN ('running', 'publishing'))
            EXECUTE FUNCTION attempt_ended();
        CREATE OR REPLACE FUNCTION job_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            DELETE FROM dependencies WHERE job = OLD.id;
            DELETE FROM units WHERE job = OLD.id;
            DELETE FROM logs WHERE job = OLD.id;
            DELETE FROM log_parts WHERE job = OLD.id;
            PERFORM count_jobs(OLD."user", OLD.state, -1);
            RETURN NULL;
        END $$;
        """
}
