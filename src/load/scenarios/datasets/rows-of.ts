import { dirname, join } from 'node:path';
import type { ParsedSource } from '../../sources/parsed-source.ts';
import type { RowSource } from './dataset.ts';
import { DatasetFile } from './dataset-file.ts';
import type { DatasetConfig } from './dataset-schema.ts';

/** The rows of the dataset of a scenario: those of its code, or those of the file that it names. */
export async function rowsOf(config: DatasetConfig, source: ParsedSource, directory: string): Promise<RowSource> {
  if (!source.rows)
    return new DatasetFile(join(dirname(source.file), config.path), join(directory, config.path), config);
  const { CodeRows } = await import('./code-rows.ts');
  return new CodeRows(source.rows, source.locate(['dataset']));
}
