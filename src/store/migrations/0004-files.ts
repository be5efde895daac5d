import type { Migration } from './migration.ts';

/** Files that travel between machines: contents in chunks, sets of files, and which runs and trials they belong to. */
export const files: Migration = {
  id: 4,
  name: 'files',
  async up(db, dialect) {
    await db.schema
      .createTable('blobs')
      .addColumn('blob_id', 'text', (column) => column.primaryKey())
      .addColumn('byte_count', 'bigint', (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('blob_chunks')
      .addColumn('blob_id', 'text', (column) => column.notNull())
      .addColumn('ordinal', 'integer', (column) => column.notNull())
      .addColumn('body', dialect.bytes, (column) => column.notNull())
      .addColumn('checksum', 'bigint', (column) => column.notNull())
      .addColumn('stored_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('blob_chunks_key', ['blob_id', 'ordinal'])
      .execute();
    await db.schema
      .createTable('file_sets')
      .addColumn('set_id', 'text', (column) => column.primaryKey())
      .addColumn('manifest', dialect.bytes, (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('file_set_blobs')
      .addColumn('set_id', 'text', (column) => column.notNull())
      .addColumn('blob_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('file_set_blobs_key', ['set_id', 'blob_id'])
      .execute();
    await db.schema
      .createTable('run_files')
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('trial_id', 'text', (column) => column.notNull())
      .addColumn('set_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('run_files_key', ['run_id', 'trial_id'])
      .execute();
    await db.schema.createIndex('file_set_blobs_by_blob').on('file_set_blobs').column('blob_id').execute();
    await db.schema.createIndex('run_files_by_trial').on('run_files').column('trial_id').execute();
    await db.schema.createIndex('run_files_by_set').on('run_files').column('set_id').execute();
  },
};
