import { isRecord, parseTracedJson, whyNotJson } from '../../../shared/json.ts';
import { compileJsonPath } from '../../../shared/json-path/json-path.ts';
import type { Snapshot } from '../read-state.ts';

/** The rows of a JSON document: what the path selects, the items of a list, or the document as one row. */
export async function rowsOfJson(text: string, path: string | undefined): Promise<Snapshot> {
  const document = parseTracedJson(text);
  if (document === undefined) throw new Error(`it is ${whyNotJson(text)}`);
  const selected = path === undefined ? [document] : (await compileJsonPath(path)).select(document);
  const [only] = selected;
  const items: readonly unknown[] = selected.length === 1 && Array.isArray(only) ? only : selected;
  return { rows: items.map((item) => (isRecord(item) ? item : { value: item })) };
}
