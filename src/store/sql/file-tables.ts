import type { ColumnType } from 'kysely';

/** Numbers that Postgres may hand over as text when they are wide. */
type Wide = ColumnType<number | string, number, number>;

/** Contents by their SHA-256; the row is written after its chunks, so that whoever finds it finds all of them. */
interface BlobsTable {
  blob_id: string;
  byte_count: Wide;
  used_at: Wide;
}

/** A compressed piece of a content; the checksum is that of the compressed bytes. */
interface BlobChunksTable {
  blob_id: string;
  ordinal: number;
  body: Uint8Array;
  checksum: Wide;
  stored_at: Wide;
}

/** Files that belong together, by the SHA-256 of their list. */
interface FileSetsTable {
  set_id: string;
  manifest: Uint8Array;
  used_at: Wide;
}

interface FileSetBlobsTable {
  set_id: string;
  blob_id: string;
}

/** Whose files a set is: of a trial, or of the run itself where `trial_id` is empty. */
interface RunFilesTable {
  run_id: string;
  trial_id: string;
  set_id: string;
}

/** The tables of files that travel between machines. */
export interface FileTables {
  blobs: BlobsTable;
  blob_chunks: BlobChunksTable;
  file_sets: FileSetsTable;
  file_set_blobs: FileSetBlobsTable;
  run_files: RunFilesTable;
}
