import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { failures } from './failures.ts';
import type { SheetOpener } from './sheet.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/** Reads CSV with a header line; writing keeps the file's line ending and byte order mark. */
export const openCsvSheet: SheetOpener = async (bytes) => {
  const { text, records } = parseCsv(bytes);
  const [headers, ...rows] = records;
  if (headers === undefined) throw failures.csvEmpty();
  return {
    headers,
    rows,
    encode: (newRows) =>
      Buffer.from(
        stringify([headers, ...newRows], {
          bom: text.startsWith(BYTE_ORDER_MARK),
          record_delimiter: text.includes('\r\n') ? '\r\n' : '\n',
          quoted_match: /[\r\n]/,
          // An empty cell of a one-column table would otherwise become an empty line, which reading skips.
          quoted_empty: headers.length === 1,
        }),
      ),
  };
};

function parseCsv(bytes: Buffer): { text: string; records: string[][] } {
  try {
    // Fatal, because replacement characters would be written back over the original bytes.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, records: parse(text, { bom: true, skip_empty_lines: true }) };
  } catch (cause) {
    throw failures.csvParsing(cause);
  }
}
