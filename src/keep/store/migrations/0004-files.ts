import type { Migration } from './migration.ts';

/** Files that travel between machines: contents in chunks, sets of files, and which runs and trials they belong to. */
export const files: Migration = {
  id: 4,
  name: 'files',
  async up(db, dialect) {
    await db.schema
      .createTable('chunks')
      .addColumn('chunk_id', 'text', (column) => column.primaryKey())
      .addColumn('body', dialect.bytes, (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('file_sets')
      .addColumn('set_id', 'text', (column) => column.primaryKey())
      .addColumn('manifest', dialect.bytes, (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('file_set_chunks')
      .addColumn('set_id', 'text', (column) => column.notNull())
      .addColumn('chunk_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('file_set_chunks_key', ['set_id', 'chunk_id'])
      .execute();
    await db.schema
      .createTable('run_files')
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('trial_id', 'text', (column) => column.notNull())
      .addColumn('set_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('run_files_key', ['run_id', 'trial_id'])
      .execute();
    await db.schema.createIndex('file_set_chunks_by_chunk').on('file_set_chunks').column('chunk_id').execute();
    await db.schema.createIndex('run_files_by_trial').on('run_files').column('trial_id').execute();
    await db.schema.createIndex('run_files_by_set').on('run_files').column('set_id').execute();
  },
};
