import { type RawBuilder, sql } from 'kysely';

/** The schema of the queue's own tables. */
export const queueSchema = 'assay_queue';

/** Where trials wait, one partition for each queue. */
export const jobTable = sql.table(`${queueSchema}.job`);

/** Now, in milliseconds, by the only clock that all machines share. */
export const databaseNowMs: RawBuilder<number> = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
