import type { ColumnType } from 'kysely';

/** Numbers that Postgres may hand over as text when they are wide. */
type Wide = ColumnType<number | string, number, number>;

/** Pieces of files, compressed, by the SHA-256 of what is in them. */
interface ChunksTable {
  chunk_id: string;
  body: Uint8Array;
  used_at: Wide;
}

/** Files that belong together, by the SHA-256 of their list; written after the chunks that it names. */
interface FileSetsTable {
  set_id: string;
  manifest: Uint8Array;
  used_at: Wide;
}

interface FileSetChunksTable {
  set_id: string;
  chunk_id: string;
}

/** Whose files a set is: of a trial, or of the run itself where `trial_id` is empty. */
interface RunFilesTable {
  run_id: string;
  trial_id: string;
  set_id: string;
}

/** The tables of files that travel between machines. */
export interface FileTables {
  chunks: ChunksTable;
  file_sets: FileSetsTable;
  file_set_chunks: FileSetChunksTable;
  run_files: RunFilesTable;
}
