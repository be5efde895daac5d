import { chunkBytes, chunkIdOf } from '../../keep/bundles/chunks.ts';
import { manifestOf } from '../../keep/bundles/manifest.ts';
import type { StoredFiles } from '../../keep/bundles/stored-files.ts';

/** Stores contents as the files of the run; gives the id of their list. */
export async function storeContents(stored: StoredFiles, runId: string, contents: readonly Buffer[]): Promise<string> {
  const pieces = contents.map((bytes) =>
    Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
      bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
    ),
  );
  for (const bytes of pieces.flat()) await stored.addChunks([{ chunkId: chunkIdOf(bytes), bytes }]);
  const manifest = manifestOf(
    contents.map((bytes, index) => ({
      type: 'file',
      path: `file-${index}`,
      byteCount: bytes.length,
      isExecutable: false,
      chunks: pieces[index]?.map((piece) => chunkIdOf(piece)) ?? [],
    })),
  );
  await stored.addSet(manifest);
  await stored.assign(manifest.setId, { runId });
  return manifest.setId;
}
