import { type Kysely, sql } from 'kysely';
import { AssayError } from '../../../domain/errors.ts';
import { migrations } from '../migrations/index.ts';
import type { SqlDialectWords } from '../migrations/migration.ts';

const newest = migrations.at(-1)?.id ?? 0;

/**
 * Brings the schema up to date, one transaction for all steps, so that two processes that open a new store at once
 * do not meet half-way. A store written by a newer Assay is refused, not guessed at.
 */
export async function migrate(db: Kysely<unknown>, dialect: SqlDialectWords): Promise<void> {
  if ((await schemaVersion(db)) === newest) return;
  await db.transaction().execute(async (transaction) => {
    await dialect.lockSchema(transaction);
    await sql`create table if not exists assay_schema (version integer primary key, name text not null)`.execute(
      transaction,
    );
    const version = await schemaVersion(transaction);
    if (version > newest) {
      throw new AssayError(
        'STORE_NEWER',
        `The store has schema version ${version}; this Assay knows versions up to ${newest}.`,
      );
    }
    for (const migration of migrations.filter((step) => step.id > version)) {
      await migration.up(transaction, dialect);
      await sql`insert into assay_schema (version, name) values (${migration.id}, ${migration.name})`.execute(
        transaction,
      );
    }
  });
}

async function schemaVersion(db: Kysely<unknown>): Promise<number> {
  try {
    const { rows } = await sql<{ version: number | null }>`select max(version) as version from assay_schema`.execute(
      db,
    );
    return Number(rows[0]?.version ?? 0);
  } catch (error) {
    if (isMissingTable(error)) return 0;
    throw error;
  }
}

function isMissingTable(error: unknown): boolean {
  const undefinedTable = '42P01';
  return (
    error instanceof Error &&
    ((error as { code?: unknown }).code === undefinedTable || /no such table/.test(error.message))
  );
}
