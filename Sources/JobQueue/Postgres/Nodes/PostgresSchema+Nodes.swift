// The migration that tells nodes apart: what each is and has, what jobs need of them, and which media is which root.

extension PostgresSchema {
    /// A job's needs are a text of words in order; `need_sets` has those that the jobs of each user ever had, so that a claim looks up
    /// one job for each that its node meets, and reads no others.
    static let nodes = """
        ALTER TABLE jobs ADD COLUMN needs TEXT COLLATE "C" NOT NULL DEFAULT '', ADD COLUMN source_digest TEXT;
        ALTER TABLE units ADD COLUMN digest TEXT;
        CREATE TABLE need_sets (
            "user" BIGINT NOT NULL,
            needs  TEXT COLLATE "C" NOT NULL,
            PRIMARY KEY ("user", needs)
        );
        INSERT INTO need_sets SELECT "user", '' FROM turns;
        CREATE OR REPLACE FUNCTION job_accepted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO turns VALUES (NEW."user", 0) ON CONFLICT DO NOTHING;
            INSERT INTO need_sets VALUES (NEW."user", NEW.needs) ON CONFLICT DO NOTHING;
            PERFORM count_jobs(NEW."user", NEW.state, 1);
            RETURN NULL;
        END $$;
        DROP INDEX jobs_ready;
        CREATE INDEX jobs_ready ON jobs ("user", needs, priority DESC, id)
            WHERE state = 'waiting' AND due IS NULL AND blockers = 0;

        ALTER TABLE nodes
            ADD COLUMN host       TEXT   NOT NULL DEFAULT '',
            ADD COLUMN uid        BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN processors BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN busy       BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN memory     BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN workers    BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN tags       TEXT   NOT NULL DEFAULT '',
            ADD COLUMN roots      TEXT   NOT NULL DEFAULT '',
            ADD COLUMN drains     BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN heard      BIGINT NOT NULL DEFAULT 0;
        CREATE INDEX nodes_by_name ON nodes (name, lease);
        CREATE TABLE roots (name TEXT PRIMARY KEY, marker TEXT NOT NULL, since BIGINT NOT NULL);
        """
}
